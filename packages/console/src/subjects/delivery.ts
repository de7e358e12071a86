// The states of a delivery, in words: several subjects show deliveries.

import type { DeliveryStatus } from '@causeway/sdk'
import type { Tone } from '../components/ui/badge.tsx'

export const deliveryStatuses = ['pending', 'retrying', 'exhausted', 'delivered', 'cancelled'] as const

export const deliveryStates: Readonly<Record<DeliveryStatus, readonly [tone: Tone, words: string]>> = {
  pending: ['busy', 'Pending'],
  retrying: ['warn', 'Retrying'],
  exhausted: ['bad', 'Failed'],
  delivered: ['good', 'Delivered'],
  cancelled: ['off', 'Canceled'],
}
