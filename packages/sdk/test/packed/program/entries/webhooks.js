// All of the entry for webhooks.
export * from '@causeway/sdk/webhooks'
