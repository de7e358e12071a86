// Where the pages of other subjects are.

export const endUserPlace = (externalUserId: string): string => `/end-users/${encodeURIComponent(externalUserId)}`
export const depositPlace = (id: string): string => `/deposits/${id}`
export const deliveryPlace = (id: string): string => `/webhooks/deliveries/${id}`
export const endpointPlace = (id: string): string => `/webhooks/${id}`
