// Assembles the HTTP edge: limits, hooks in the order they run, error rendering, all routes.

import type { Socket } from 'node:net'
import Fastify, { LogController } from 'fastify'
import { noteRequests } from '../businesses/requests/service.ts'
import { ConsoleSite } from '../console/site.ts'
import { createDoor } from '../events/ingest/door.ts'
import { OnboardingSite } from '../onboarding/site.ts'
import type { Config } from '../platform/config.ts'
import { type Core, serverCoreOf } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import { logRequest, logRequests, traceRequests } from '../platform/http/access-log.ts'
import { type App, rememberOrigin, requestIds, type SchemaTypes } from '../platform/http/app.ts'
import { readJsonBodies } from '../platform/http/body/json-body.ts'
import { readMultipartBodies } from '../platform/http/body/multipart-body.ts'
import { dropRefusedBodies } from '../platform/http/body/refused-body.ts'
import { answerClientError, answerConnect, faultOfForm } from '../platform/http/client-error.ts'
import { notFoundError, sendError, setCommonHeaders } from '../platform/http/error-response.ts'
import { honourIdempotencyKeys } from '../platform/http/idempotency/edge.ts'
import { takeTurns } from '../platform/http/limits/business-turns.ts'
import { answerOneByOne, boundConnections } from '../platform/http/limits/connections.ts'
import { memoryRateLimits, type RateLimits } from '../platform/http/limits/rate-limit.ts'
import * as limits from '../platform/http/limits.ts'
import { compileSchemas } from '../platform/http/schema/compilers.ts'
import { prepareInput, validationError } from '../platform/http/schema/validation.ts'
import { guardRoutes } from './authentication.ts'
import { DocsSite } from './docs/site.ts'
import { routes } from './routes.ts'
import { type Running, servicesOf } from './services.ts'

export type AppOptions = {
  /** Counts requests. Default: in the memory of this process. */
  rateLimits?: RateLimits
  /** The routes to serve. Default: all. */
  routes?: typeof routes
  refusedBody?: limits.RefusedBodyLimits
  /** Where the site of the documentation was built; by default where `npm run docs:build` puts it. */
  docsFolder?: string
  /** Where the console was built; by default where `npm run console:build` puts it. */
  consoleFolder?: string
  /** Where the onboarding page was built; by default where `npm run onboarding:build` puts it. */
  onboardingFolder?: string
}

/**
 * Assembles the server, ready to listen. `close()` refuses new requests and waits for the running ones, for the grace period.
 */
export async function createApp(deps: Running, options: AppOptions = {}): Promise<App> {
  const app = makeServer(deps)
  rememberOrigin(app, deps.config.publicUrl)
  app.decorate('rateLimits', options.rateLimits ?? memoryRateLimits(deps))
  app.decorate('draining', false)
  app.decorate('closing', false)
  app.decorate('docs', new DocsSite(options.docsFolder))
  app.decorate('console', new ConsoleSite(options.consoleFolder))
  app.decorate('onboarding', new OnboardingSite(options.onboardingFolder))
  dropRefusedBodies(app, options.refusedBody ?? limits.refusedBody)
  app.setErrorHandler(sendError)
  app.setSchemaErrorFormatter(validationError)
  compileSchemas(app)
  requireAuthOnRoutes(app)
  answerOneByOne(app)
  traceRequests(app)
  logRequests(app, deps.log)
  noteRequests(app, deps)
  closeInTime(app, deps.config.shutdownGraceMs)
  answerAtOnce(app)
  guardRoutes(app, deps)
  takeTurns(app)
  readJsonBodies(app)
  readMultipartBodies(app)
  app.addHook('preValidation', prepareInput)
  honourIdempotencyKeys(app)
  app.decorate('eventDoor', createDoor(deps))
  app.addHook('preClose', (done) => {
    for (const readers of [deps.eventReaders, deps.pageReaders]) readers.close()
    done()
  })
  const [core, services] = [serverCoreOf(deps), servicesOf(deps)]
  for (const register of options.routes ?? routes) await register(app, core, services)
  await app.ready()
  return app
}

function makeServer(deps: Core): App {
  const { log } = deps
  const app: App = Fastify({
    loggerInstance: log,
    // Log lines of this server contain the request ID already.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(deps),
    requestIdHeader: false,
    trustProxy: trustedProxies(deps.config.trustProxy),
    routerOptions: { maxParamLength: limits.pathParamCharsMax },
    // `answerAtOnce` responds while the server is closing, in the format of API errors.
    return503OnClosing: false,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionTimeout: limits.silentConnectionMs,
    http: {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: 2_000,
      // `faultOfForm` rejects a request without `Host`, in the format of API errors.
      requireHostHeader: false,
    },
    frameworkErrors(error, request, reply) {
      // No hook runs for errors before routing.
      sendError(error, request, reply)
      logRequest(log, request, reply)
    },
    clientErrorHandler: (error, socket) => answerClientError(app, deps, error, socket),
  }).withTypeProvider<SchemaTypes>()
  boundConnections(app, deps.config)
  app.server.on('connect', (_request, socket) => answerConnect(app, deps, socket as Socket))
  // Node would respond to an unknown `Expect` with a plain 417; ignoring the header is allowed (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app
}

/**
 * With one proxy, only the last address of the header is trusted, which the proxy wrote; the rest is the caller's text.
 */
function trustedProxies(
  setting: Config['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  return setting === true ? (_address, hop) => hop === 0 : setting === false ? false : [...setting]
}

/** Makes `close` wait for running requests no longer than the grace period. */
function closeInTime(app: App, graceMs: number): void {
  let cut: NodeJS.Timeout | undefined
  app.addHook('preClose', (done) => {
    app.closing = true
    cut = setTimeout(() => app.server.closeAllConnections(), graceMs)
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearTimeout(cut)
    done()
  })
}

/** Sets the headers of every response, and ends requests whose response is known before their body is read. */
function answerAtOnce(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    if (app.closing) return done(fail('shutting_down', { headers: { connection: 'close' } }))
    done(faultOfForm(request.raw) ?? (request.is404 ? notFoundError(request) : undefined))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // A draining server still responds; a client that keeps connections open sends its next request to another server.
    if (app.draining || app.closing) reply.header('connection', 'close')
    done()
  })
}

/** Refuses to start with a route that does not declare who may call it. */
function requireAuthOnRoutes(app: App): void {
  const silent: string[] = []
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.auth === undefined) silent.push(`${String(method)} ${url}`)
  })
  app.addHook('onReady', (done) => {
    done(silent.length > 0 ? new Error(`these routes do not say who may call them: ${silent.join(', ')}`) : undefined)
  })
}
