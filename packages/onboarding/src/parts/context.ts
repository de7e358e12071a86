// Shared by every part of the page: the language, and the requests.

import { createContext, useContext } from 'react'
import type { Client } from '../client.ts'
import { en, type Texts } from '../texts/en.ts'

type Shared = {
  language: string
  texts: Texts
  business: string
  client: Client | null
  /** Where the layout shows how far the end-user has come. */
  progressPlace: HTMLElement | null
  /** The code that leads to the phone was shown. */
  onPhoneOffered: () => void
}

export const SharedContext = createContext<Shared>({
  language: 'en',
  texts: en,
  business: '',
  client: null,
  progressPlace: null,
  onPhoneOffered: () => {},
})

/** Whether the problems of a step are read aloud from a list above it. */
export const SummedContext = createContext(false)

export const useShared = (): Shared => useContext(SharedContext)
export const useTexts = (): Texts => useContext(SharedContext).texts
