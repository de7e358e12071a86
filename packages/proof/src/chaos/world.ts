// A business of an old fleet.

export type ChaosBusiness = {
  index: number
  id: string
  apiKey: string
  /** Planted in the data of this business; no other business may see it. */
  mark: string
  endpointId: string
  secret: string
}
