// What the programs of the README take from around them.

declare const causeway: import('@causeway/sdk').Causeway
declare const order: Parameters<typeof causeway.virtualAccounts.create>[0]
declare const rawBody: string
declare const request: Request
declare const signingSecret: string
declare const tosLink: string
declare function linkFromYourServer(): Promise<{ url: string }>
declare function showNextStep(externalUserId: string, resolution: string): Promise<void>
declare function update(externalUserId: string, kycStatus: import('@causeway/sdk').KycStatus): Promise<void>
declare function book(amount: import('@causeway/sdk').Amount | null): Promise<void>
declare function loadPlace(): Promise<string | undefined>
declare function storePlace(after: string): Promise<void>
declare function handle(event: import('@causeway/sdk').WebhookEvent): Promise<void>
