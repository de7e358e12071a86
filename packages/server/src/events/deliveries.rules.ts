// The statuses of a delivery: one word for each, in the field and in the filter.

/** `pending`: never attempted. `retrying`: attempted, and scheduled for its next attempt. */
export const deliveryStatuses = ['pending', 'retrying', 'delivered', 'exhausted', 'cancelled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
