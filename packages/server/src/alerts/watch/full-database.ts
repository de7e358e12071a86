// The one alert that cannot be stored first: the database refuses to write. It is sent straight to the operator's channels, once an
// outage, and stored when the database writes again.

import { createHash } from 'node:crypto'
import { deploymentChain } from '../../audit/audit.rules.ts'
import { makeId } from '../../platform/values/ids.ts'
import { isoTime } from '../../platform/values/time.ts'
import { createMailer } from '../messages/mail.ts'
import { sendMessage } from '../messages/send.ts'
import { type Content, type Noticed, subjectLine } from '../messages/text.rules.ts'
import type { Alerts, SendsAlerts } from '../ports.ts'
import { listOwnChannels, type OwnChannel, storeOutage } from './full-database.store.ts'

const kind = 'database.full'
/** A failover takes less. */
const refusedMs = 60_000
const lookMs = 60_000

type Outage = {
  /** Shown: by the wall clock. */
  sinceMs: number
  /** Measured: by `performance.now()`. */
  beganMs: number
  sent: { channel: OwnChannel; id: string; content: Content; outcome: string | null }[] | null
}

export class FullDatabase {
  readonly #deps: Alerts & SendsAlerts
  readonly #refusedMs: number
  #outage: Outage | null = null
  #lookAtMs = performance.now() + lookMs

  constructor(deps: Alerts & SendsAlerts, refusedForMs = refusedMs) {
    this.#deps = deps
    this.#refusedMs = refusedForMs
  }

  /** After each round: looks at the database once a minute, and each time during an outage. @param hasFailed whether the round failed */
  async afterRound(hasFailed: boolean): Promise<void> {
    const isDue = hasFailed || this.#outage !== null || performance.now() >= this.#lookAtMs
    if (!isDue) return
    this.#lookAtMs = performance.now() + lookMs
    const health = await this.#deps.db.health()
    if (health === 'not_writing') await this.#refused()
    else if (health === 'well') await this.#writes()
  }

  /** Sends the alert when the database has refused to write for a minute. */
  async #refused(): Promise<void> {
    this.#outage ??= { sinceMs: this.#deps.now(), beganMs: performance.now(), sent: null }
    const outage = this.#outage
    if (outage.sent !== null || performance.now() - outage.beganMs < this.#refusedMs) return
    const channels = await this.#deps.db.read((query) => listOwnChannels(query, deploymentChain, kind))
    outage.sent = []
    await Promise.all(channels.map((channel) => this.#send(outage, channel)))
  }

  /** Stores an outage that was reported, with its messages and its recovery. */
  async #writes(): Promise<void> {
    const outage = this.#outage
    if (outage === null) return
    const { sent, sinceMs } = outage
    if (sent !== null && sent.length > 0)
      await this.#deps.db.transaction((tx) =>
        storeOutage(tx, {
          owner: deploymentChain,
          alertId: idOf('alert', sinceMs),
          kind,
          since: new Date(sinceMs),
          sent: sent.map(({ channel, id, content, outcome }) => ({
            ...{ channelId: channel.id, id, content, outcome },
            subject: subjectLine(content),
          })),
        }),
      )
    this.#outage = null
  }

  async #send({ sinceMs, sent }: Outage, channel: OwnChannel): Promise<void> {
    const { config, secrets, now, sender } = this.#deps
    const noticed: Noticed = {
      ...{ id: idOf('alert', sinceMs), kind, phase: 'opened', subjectId: deploymentChain, details: {} },
      ...{ openedAt: isoTime(sinceMs), recoveredAt: null },
    }
    const content: Content = { businessName: null, isTest: false, alerts: [noticed], total: 1 }
    // Every replica sends: within an hour under the same ID, by which mail servers and receivers drop repeats.
    const id = idOf('alertMessage', Math.floor(sinceMs / 3_600_000), channel.id)
    const message = {
      ...{ ...channel, id, channelId: channel.id, isTest: false, subject: subjectLine(content), content },
      ...{ attempts: 1, fence: 0, createdAt: new Date(sinceMs), ageMs: 0 },
    }
    const to = { config, secrets, now, sender, mailer: createMailer(config) }
    const attempted = await sendMessage(to, message, new AbortController().signal)
    const outcome = attempted.result === 'sent' ? null : attempted.result === 'failed' ? attempted.said : 'Aborted.'
    sent?.push({ channel, id, content, outcome })
  }
}

const idOf = (of: 'alert' | 'alertMessage', ...parts: (string | number)[]): string =>
  makeId(
    of,
    createHash('sha256')
      .update(`${kind} ${parts.join(' ')}`)
      .digest()
      .subarray(0, 16),
  )
