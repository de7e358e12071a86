// The collections for Postman and Bruno, as files of the site.

import document from '../../../../packages/server/openapi.json'
import { collections } from '../../../../scripts/collections.ts'

const files = collections(document)

export const getStaticPaths = () => Object.keys(files).map((file) => ({ params: { file } }))

export const GET = ({ params }: { params: { file: string } }) =>
  new Response(JSON.stringify(files[params.file], null, 2))
