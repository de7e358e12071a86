// The whole story, chapter by chapter, against one running service.

import { randomUUID } from 'node:crypto'
import { Causeway } from '@causeway/sdk'
import { eventsOf } from '../events.ts'
import { accounts } from './accounts.ts'
import { company } from './company.ts'
import { companyPeople } from './company-people.ts'
import { deposits } from './deposits.ts'
import { erasure } from './erasure.ts'
import { missingDocument } from './missing-document.ts'
import { personAbroad } from './person-abroad.ts'
import { personUsa } from './person-usa.ts'
import { rejection } from './rejection.ts'
import { subscribe, unsubscribe, webhooks } from './webhooks.ts'
import type { World } from './world.ts'

export async function story(service: { baseUrl: string; apiKey: string }): Promise<void> {
  const api = new Causeway({ baseUrl: service.baseUrl, apiKey: service.apiKey, retriesMax: 5 })
  const subscription = await subscribe(api)
  const run = randomUUID().slice(0, 8)
  const world: World = {
    api,
    events: eventsOf(subscription.receiver),
    idOf: (name) => `${name}-${run}`,
    emailOf: (name, outcome) => `${name}-${run}${outcome ? `+${outcome}` : ''}@example.com`,
  }
  try {
    const marie = await personAbroad(world)
    await personUsa(world)
    await company(world)
    await companyPeople(world)
    await rejection(world)
    await missingDocument(world)
    await deposits(world, await accounts(world, marie))
    await erasure(world, marie)
    await webhooks(api, subscription)
  } finally {
    await unsubscribe(api, subscription)
  }
}
