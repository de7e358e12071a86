// Lists the faults of a run's figures: none when the promise held and the run could have broken it.

import { type Figures, requestsToJudge } from './campaign.ts'

const heapGrowthMiBMax = 48
const openFilesGrowthMax = 64

export function faultsOf(figures: Figures): string[] {
  const faults: string[] = []
  const none = (count: number, what: string): void => {
    if (count > 0) faults.push(`${count} ${what}`)
  }
  none(figures.serverErrors, 'answers of 5xx, requests without an answer, or errors in the log')
  none(figures.schemaBreaks, 'answers that openapi.json does not declare')
  none(figures.echoes, 'places that repeat what was sent')
  none(figures.modelBreaks, 'answers that cannot be true after what came before')
  const { before, after } = figures
  if (after.heapMiB > before.heapMiB + heapGrowthMiBMax)
    faults.push(`the heap grew from ${before.heapMiB} to ${after.heapMiB} MiB`)
  if (after.openFiles > before.openFiles + openFilesGrowthMax)
    faults.push(`open files grew from ${before.openFiles} to ${after.openFiles}`)
  if (figures.requests < requestsToJudge) return faults
  if (figures.neverSucceeded.length > 0) faults.push(`never went well: ${figures.neverSucceeded.join(', ')}`)
  if (figures.refusedByRate === 0) faults.push('the default limits refused nobody')
  return faults
}
