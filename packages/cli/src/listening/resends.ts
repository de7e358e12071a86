// Events that are resent on demand. The stream has an event for each resend.

import type { Api } from '../../../sdk/src/core/api.ts'
import { ApiError, type Event } from '../../../sdk/src/index.ts'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'

export const isResend = ({ eventType, source }: Event): boolean => eventType === 'event.resent' && source === 'causeway'

/** Reads the event that is resent. @returns null when retention removed the event */
export async function resentEvent(api: Api, { payload }: Event): Promise<Event | null> {
  const { data } = payload as { data?: unknown }
  const id = isJsonObject(data) ? data['eventId'] : undefined
  if (typeof id !== 'string') return null
  try {
    return await api.call('getEvent', { path: { id } })
  } catch (failure) {
    if (failure instanceof ApiError && failure.code === 'event_not_found') return null
    throw failure
  }
}
