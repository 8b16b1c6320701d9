/** Completion of the command line for shells, made of the commands themselves. */

import type { Command } from 'commander'

import { Fault } from '../../core/fault.ts'
import { leaves } from '../examples.ts'

/** Prints the script for a shell. Throws `bad-parameter` for one that is not known. */
export function completion(shell: string, program: Command): void {
  switch (shell) {
    case 'bash':
      console.log(bash(program))
      break
    case 'zsh':
      // zsh runs bash's own once it is told to.
      console.log(`autoload -U +X bashcompinit && bashcompinit\n${bash(program)}`)
      break
    case 'fish':
      console.log(fish(program))
      break
    default:
      throw new Fault('bad-parameter', `completion is for bash, zsh or fish: ${shell}`)
  }
}

function bash(program: Command): string {
  const groups = program.commands.filter(({ commands }) => commands.length > 0)
  const flags = leaves(program, []).map(
    ({ path, command }) => `    '${path}') words='${flagsOf(command).join(' ')}' ;;`,
  )
  const inner = groups.map(
    (group) => `    '${group.name()}') words='${namesOf(group).join(' ')}' ;;`,
  )
  return `_firn() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="\${COMP_WORDS[1]}" words=''
  case "$path" in
    ${groups.map((group) => group.name()).join('|')}) [ "$COMP_CWORD" -gt 2 ] && path="$path \${COMP_WORDS[2]}" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && path=''
  case "$path" in
    '') words='${namesOf(program).join(' ')}' ;;
${[...inner, ...flags].join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _firn firn`
}

function fish(program: Command): string {
  const lines = program.commands.map(
    (one) =>
      `complete -c firn -f -n __fish_use_subcommand -a ${one.name()} -d '${quoted(one.description())}'`,
  )
  const groups = program.commands.filter(({ commands }) => commands.length > 0)
  const inner = groups.flatMap((group) =>
    group.commands.map(
      (one) =>
        `complete -c firn -f -n '__fish_seen_subcommand_from ${group.name()}' -a ${one.name()} -d '${quoted(one.description())}'`,
    ),
  )
  const flags = leaves(program, []).flatMap(({ path, command }) =>
    command.options.map(
      ({ long, description, required }) =>
        `complete -c firn -n '__fish_seen_subcommand_from ${path.split(' ').at(-1)}' -l ${(long ?? '').slice(2)}${required ? ' -r' : ''} -d '${quoted(description)}'`,
    ),
  )
  return [...lines, ...inner, ...flags].join('\n')
}

function namesOf(command: Command): string[] {
  return command.commands.map((one) => one.name())
}

function flagsOf(command: Command): string[] {
  return command.options.flatMap(({ long }) => long ?? [])
}

function quoted(text: string): string {
  return text.replaceAll("'", String.raw`\'`)
}
