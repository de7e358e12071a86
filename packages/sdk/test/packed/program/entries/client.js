// The whole client.
export { Causeway } from '@causeway/sdk'
