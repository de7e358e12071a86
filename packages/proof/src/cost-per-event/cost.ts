// The cost of one event with one delivery at one pace.

export type Cost = {
  /** Events a second that were asked for; 0: as many as the server took. */
  rate: number
  /** Processes of a replica. */
  processes: number
  events: number
  /** Events a second, from the first request to the last delivery. */
  eventsPerSecond: number
  serverMicroseconds: number
  postgresMicroseconds: number
  transactions: number
  /** Times that a process went to sleep and was woken. */
  serverWakeUps: number
  postgresWakeUps: number
  walBytes: number
  keptBytes: number
  keptRows: number
  /** From the moment a request is due to the moment its delivery is complete at the receiver. */
  p50Ms: number
  p95Ms: number
}
