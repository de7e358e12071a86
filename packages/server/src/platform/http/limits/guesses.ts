// Guesses at credentials, counted by the address that makes them.

import type { FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode } from '../../errors.ts'
import { requireAllowed } from './rate-limit.ts'

const guesses: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'api_key_invalid',
  'admin_secret_invalid',
  'metrics_token_invalid',
  'console_link_invalid',
  'onboarding_link_invalid',
])

/**
 * Counts guesses: credentials of the right form that are wrong. A right key passes however many guesses there were, because
 * other callers may share the address.
 * @throws the error, or `rate_limited` in its place where an address has guessed too often
 */
export async function countGuess(request: FastifyRequest, error: unknown): Promise<never> {
  if (!(error instanceof ApiError) || !guesses.has(error.code)) throw error
  const { failedAuth, addressKey } = request.server.rateLimits
  requireAllowed(await failedAuth.take(addressKey(request.ip)))
  throw error
}
