// The onboarding page in a frame.
export { mountOnboarding } from '@causeway/sdk/onboarding'
