// region stream
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Causeway, eventOf } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})
const place = existsSync('place') ? { after: readFileSync('place', 'utf8') } : {}
const save = (after: string) => writeFileSync('place', after) // when every event before it was handled

for await (const { payload } of causeway.events.stream({ ...place, save })) {
  const event = eventOf(payload)
  console.log(event.name)
  // endregion
  if (event.type === 'virtual_account.payment.received') break
  // region stream
}
// endregion
