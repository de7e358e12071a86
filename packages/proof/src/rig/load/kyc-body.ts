// The KYC data of an end-user of the load: a person whom the emulator approves for every rail of the stories.

import { adaBody } from '../../../../server/test/ada.ts'
import { identityMark } from '../verdict/names.ts'

/** A PNG of 200 by 200 pixels, in place of a paper: the least that is accepted. */
const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAMgAAADIAQAAAACFI5MzAAAAHElEQVR42u3BgQAAAADDoPlTX+EAVQEAAAAAfAYUUAABxFrmKwAAAABJRU5ErkJggg=='

export const kycBody = (agreement: string, mail: string): object =>
  adaBody({ agreement, mail, image, mark: identityMark })
