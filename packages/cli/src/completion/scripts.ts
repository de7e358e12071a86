// `causeway completion`: a script that completes commands and options. It contains all words, so that Tab starts no process.

import { type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson } from '../output/safe-text.ts'
import { listPlaces, type Place } from './command-list.ts'

export async function printCompletion({ args, flags, terminal, commands }: Context): Promise<number> {
  const [shell = ''] = args
  const write = Object.hasOwn(scripts, shell) ? scripts[shell as keyof typeof scripts] : null
  if (write === null) throw new UsageError(`completion is there for ${Object.keys(scripts).join(', ')}`)
  const script = write(listPlaces(commands))
  terminal.print(flags['json'] ? safeJson({ shell, script }) : script)
  return exitCodes.done
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** In single quotes, all three shells treat only the quote itself as special. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The branches of a `case` of bash or zsh, one for each place that has what is asked for. */
const branches = (places: readonly Place[], bodyOf: (place: Place) => string | null): string =>
  places
    .map((place) => [place.name, bodyOf(place)] as const)
    .filter(([, body]) => body !== null)
    .map(([name, body]) => `    ${quoted(name)}) ${body} ;;`)
    .join('\n')

/** Works in bash 3.2, which macOS has. */
function bashScript(places: readonly Place[]): string {
  const words = branches(places, ({ words: known }) => `words=${quoted(known.map(([word]) => word).join(' '))}`)
  const valued = branches(places, (place) =>
    place.valued.length === 0 ? null : `valued=${quoted(` ${place.valued.join(' ')} `)}`,
  )
  return `# causeway for bash. To use it: source <(causeway completion bash)
_causeway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place='' words='' valued=''
  local one="\${COMP_WORDS[1]}" two="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  COMPREPLY=()
  if ((COMP_CWORD > 2)) && _causeway_words "$two"; then place="$two"
  elif ((COMP_CWORD > 1)); then place="$one"
  fi
  _causeway_words "$place" || return 0
  _causeway_valued "$place"
  if [[ "$valued" == *" $before "* ]]; then return 0; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_causeway_words() {
  case "$1" in
${words}
    *) return 1 ;;
  esac
}
_causeway_valued() {
  case "$1" in
${valued}
  esac
}
complete -o default -F _causeway causeway`
}

function zshScript(places: readonly Place[]): string {
  // _describe splits at the first colon without a backslash.
  const entry = ([word, text]: readonly [string, string]): string => quoted(`${word.replaceAll(':', '\\:')}:${text}`)
  const words = branches(places, ({ words: known }) => `words_here=(${known.map(entry).join(' ')})`)
  const valued = branches(places, (place) => (place.valued.length === 0 ? null : `valued=(${place.valued.join(' ')})`))
  return `#compdef causeway
# causeway for zsh. To use it: source <(causeway completion zsh), after compinit
_causeway() {
  local place='' two="\${words[2]} \${words[3]}"
  local -a words_here valued
  if ((CURRENT > 3)) && _causeway_words "$two"; then place="$two"
  elif ((CURRENT > 2)); then place="\${words[2]}"
  fi
  _causeway_words "$place" || { _files; return }
  _causeway_valued "$place"
  if ((\${valued[(Ie)\${words[CURRENT-1]}]})); then _files; return; fi
  _describe 'causeway' words_here || _files
}
_causeway_words() {
  case "$1" in
${words}
    *) return 1 ;;
  esac
}
_causeway_valued() {
  case "$1" in
${valued}
  esac
}
compdef _causeway causeway`
}

function fishScript(places: readonly Place[]): string {
  const groups = places.filter(({ words }) => words.some(([word]) => !word.startsWith('-')))
  const lines = places.flatMap(({ name, words, valued }) =>
    words.map(([word, text]) => {
      const description = `-d ${quotedForFish(text)}`
      const at = `complete -c causeway -n '__causeway_at "${name}"'`
      if (!word.startsWith('-')) return `${at} -f -a ${word} ${description}`
      const option = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`
      return `${at} ${option} ${valued.includes(word) ? '-r ' : ''}${description}`
    }),
  )
  const names = groups.filter(({ name }) => name !== '').map(({ name }) => name)
  return `# causeway for fish. To use it: causeway completion fish | source
function __causeway_at
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l place $typed[1]
    if contains -- "$place" ${names.join(' ')}; and set -q typed[2]
        set place "$place $typed[2]"
    end
    test "$place" = "$argv[1]"
end
complete -c causeway -n '__causeway_at ""' -f
${lines.join('\n')}`
}

/** In fish, a backslash is also special between single quotes. */
const quotedForFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
