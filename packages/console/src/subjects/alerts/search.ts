// URL parameters of the lists of alerts and messages.

import { cursor, oneOf, searchOf, text, time } from '../../shell/search.ts'

export const alertSearch = searchOf({
  state: oneOf(['open', 'recovered', 'occurred']),
  kind: text(64),
  from: time,
  to: time,
  cursor,
})

export const messageSearch = searchOf({
  state: oneOf(['pending', 'sent', 'failed']),
  channelId: text(64),
  from: time,
  to: time,
  cursor,
})

export type AlertSearch = ReturnType<typeof alertSearch>
export type MessageSearch = ReturnType<typeof messageSearch>
