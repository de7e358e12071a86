// Requests of the provider for information: nothing about people, nothing out of date, and none missed.

import type { PlantedBug } from '../../planted-bug.ts'

export const informationRequestBugs: readonly PlantedBug[] = [
  {
    name: 'request-for-information-forwarded-whole',
    promise: 'what a request for information quotes of people is neither stored nor forwarded',
    row: 10,
    in: 'server',
    find: "about === 'information_request' ? reducedBody(body) : rawBody",
    replace: 'rawBody',
    caughtBy: [
      'an event of any suffix is one about a request, and is forwarded with ids, words and times alone',
      'what a request quotes and asks, and its link, are in no event, no delivery, no log line and no file of the database',
    ],
  },
  {
    name: 'request-for-information-by-known-suffixes',
    promise: 'an event about a request for information is known by its first word, whatever follows',
    row: null,
    in: 'server',
    find: 'return first === informationRequestCategory',
    replace: "return first === informationRequestCategory && name.endsWith('ed')",
    caughtBy: ['an event of any suffix is one about a request, and is forwarded with ids, words and times alone'],
  },
  {
    name: 'older-reading-of-a-request-counts',
    promise: 'an older reading of a request for information replaces nothing',
    row: null,
    in: 'server',
    find: 'return before !== null && now !== null && now.getTime() < before.getTime()',
    replace: 'return before !== null && now === null',
    caughtBy: ['readings in any order end in the state of the newest'],
  },
  {
    name: 'answered-requests-not-read-again',
    promise: 'a request for information that no longer waits for us is read again until it is closed',
    row: null,
    in: 'server',
    find: 'next === null ? end(deps, tx, pull, false)',
    replace: "next === null || next.stage === 'held' ? end(deps, tx, pull, false)",
    caughtBy: ['a request whose events were lost is found by the second channel, and so are its answer and its end'],
  },
  {
    name: 'onboarding-page-told-of-a-request',
    promise: 'an open request for information hides nothing that the end-user can do',
    row: null,
    in: 'server',
    find: 'if (!isRequested || isOver || isOfEndUser) return action',
    replace: 'if (!isRequested || isOver) return action',
    caughtBy: ['what the end-user can do comes first'],
  },
]
