// One class of errors: what is not used is left out.
export { NotFoundError } from '@causeway/sdk'
