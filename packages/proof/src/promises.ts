// The tests and proofs for each promise of "Threats and failures" that no proof on the rig names: tests by title, other proofs by
// script.

export type HeldPromise = {
  row: number
  promise: string
  /** Scripts of package.json. */
  proofs?: readonly string[]
  /** Titles, each in exactly one test file. */
  tests?: readonly string[]
}

export const promises: readonly HeldPromise[] = [
  { row: 1, promise: 'Acknowledged data survives any crash', proofs: ['crash-points'] },
  { row: 2, promise: 'One request creates at most one upstream object', proofs: ['crash-points'] },
  { row: 3, promise: 'Unknown outcomes converge and are never guessed', proofs: ['crash-points'] },
  {
    row: 4,
    promise: 'Every accepted event reaches its endpoint at least once',
    proofs: ['crash-points'],
    tests: ['kill -9 with a delivery in flight: every acknowledged event arrives, with at most one duplicate a kill'],
  },
  {
    row: 5,
    promise: 'A forged event changes nothing and suppresses nothing',
    tests: [
      'whatever order real, forged, repeated and damaged events come in, the deposit ends as the provider has it',
      'one flipped byte anywhere in signature, time or body is refused, and the real event is taken in after it',
    ],
  },
  {
    row: 6,
    promise: 'No connection is opened to a non-public address',
    tests: [
      'a name with any address that is not public is refused, and none of its addresses is dialled',
      'a socket that reached another address is destroyed before a byte is sent',
    ],
  },
  {
    row: 7,
    promise: 'A business cannot see or affect another',
    tests: [
      'whatever a stranger writes changes no row of another',
      'a business sees its own rows alone, in every table, in a read and in a transaction',
    ],
  },
  {
    row: 8,
    promise: 'A revoked key stops working on every replica within two seconds',
    tests: ['a key that expires is refused everywhere within two seconds'],
  },
  {
    row: 9,
    promise: 'Keys and secrets in a leaked database or log are useless',
    tests: ['no key and no secret is in a database file, a log line, a metric or a second answer'],
  },
  {
    row: 10,
    promise: 'KYC data is in no log, error, table, WAL or metric',
    tests: ['nothing of it is in the files of the database or its log of changes'],
  },
  { row: 11, promise: 'A bad receiver or a loud business slows nobody else' },
  {
    row: 12,
    promise: 'Limits hold across replicas',
    tests: ['one key at three replicas has one quota, within 5 %'],
  },
  { row: 13, promise: 'No request causes a 5xx or a crash', proofs: ['fuzz'] },
  { row: 14, promise: 'An upgrade loses nothing' },
  {
    row: 15,
    promise: 'A stepped clock breaks nothing',
    tests: ['the wall clock is read where a time is shown, signed or part of an ID, and nowhere else'],
  },
  {
    row: 16,
    promise: 'Every security-relevant action is in a tamper-evident log',
    tests: ['an entry removed from the middle is named, also when those behind it move up'],
  },
  {
    row: 17,
    promise: 'The dependency tree is inert',
    tests: ['dependencies are pinned, inert, hashed, and each has its place'],
  },
  {
    row: 18,
    promise: 'One loud caller slows nobody else, whatever it sends',
    tests: ['a body with too many members is refused while it is still being sent'],
  },
  {
    row: 19,
    promise: 'Locks have one order',
    tests: ['every write operation is in the table of those that meet, or is said to meet nothing'],
  },
  { row: 20, promise: 'Losing the primary loses no acknowledged data' },
  {
    row: 21,
    promise: 'The right to write is checked where the effect happens',
    proofs: ['crash-points'],
    tests: ['a request that outlives its lease is rolled back when a repeat has taken the key over'],
  },
  {
    row: 22,
    promise: 'An account is payable exactly when the provider’s facts allow it',
    tests: [
      'in any order of verdicts, rail changes and activations an account is payable exactly when all three allow it',
    ],
  },
  {
    row: 23,
    promise: 'Nothing costs much before the caller is known',
    tests: ['a business at its limit waits for itself, and nobody else does'],
  },
  {
    row: 24,
    promise: 'A page acts on what it shows',
    tests: [
      'that is revoked while it is open ends the page, and what was typed goes nowhere',
      'on a slow connection a dialog acts once, however often its button is pressed',
      'on a network that loses a response: a large paper is sent again as a whole, and submitted once',
      'a write of a tab that shows another business is refused, and the tab says who is signed in now',
      'a key that replaces the one of the session at once stays until it is stored, and then the session has ended',
      'a photo that is replaced by one in doubt is not sent in its place',
    ],
  },
  {
    row: 25,
    promise: 'Everything that a proof measures is judged',
    tests: ['a load serves again once each kind of call that began afterwards succeeded'],
  },
]
