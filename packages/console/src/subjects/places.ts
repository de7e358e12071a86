// Which page of the console shows an object, by the prefix of its ID.

const folders: Readonly<Record<string, string>> = {
  va: '/accounts/',
  dep: '/deposits/',
  evt: '/events/',
  dlv: '/webhooks/deliveries/',
  whe: '/webhooks/',
  rpl: '/webhooks/replays/',
}

/** @returns the path below /console; undefined for an object without a page */
export function placeOf(id: string): string | undefined {
  const folder = folders[id.slice(0, id.lastIndexOf('_'))]
  return folder && folder + id
}
