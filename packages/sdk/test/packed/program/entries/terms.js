// The terms in a page.
export { openTerms } from '@causeway/sdk/terms'
