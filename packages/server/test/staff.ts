// Sessions of staff without an issuer, for tests of what a session may do. The sign-in has its own tests, with a real issuer.

import { randomUUID } from 'node:crypto'
import { readSession } from '../src/console/sessions.ts'
import { type StaffGrant, signInStaff } from '../src/console/staff-sessions.ts'
import { type Answer, request } from './caller.ts'
import { pageShowing } from './console-browser.ts'
import type { World } from './world.ts'

export type TestStaff = {
  id: string
  subject: string
  email: string
  session: string
  cookie: string
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

type Given = Pick<StaffGrant, 'businessId'> &
  Partial<StaffGrant> & { subject?: string; previous?: string; isSecure?: boolean }

/** Signs a staff member in. @param given by default an `admin` who has signed in at the issuer just now */
export async function staffOf(world: Pick<World, 'url' | 'inside'>, given: Given): Promise<TestStaff> {
  const { subject = randomUUID(), previous = null, isSecure = false, ...grant } = given
  const email = `${subject.slice(0, 8)}@staff.example.com`
  const identity = { issuer: 'https://login.example.com', subject, name: 'Ada Lovelace', email }
  const requestId = `req-of-${subject}`
  const common = { identity, roles: ['admin'], authTime: new Date(), sid: null, refreshToken: null } as const
  const token = await signInStaff(world.inside, { ...common, ...grant }, { requestId, previous })
  const { id: session, staff } = await readSession(world.inside, token, requestId)
  const cookie = `${isSecure ? '__Host-' : ''}causeway_session=${token}`
  const own = { ...pageShowing({ id: session }), cookie }
  const ask: TestStaff['ask'] = (method, path, body, headers = {}) =>
    request(method, `${world.url}${path}`, body, { headers: { ...own, ...headers } })
  return { id: staff?.id ?? '', subject, email, session, cookie, ask }
}
