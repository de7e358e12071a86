// Lists of words, written as one text.

/** Lists the words of a text, which white space separates. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)
