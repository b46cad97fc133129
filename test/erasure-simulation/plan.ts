/**
 * Plans the steps of a history as data from a seed. The simulation can therefore repeat and shorten a failing history.
 */
import { createRandom, type Random } from '../simulation/random.ts';

/** `who` is the contact's number, in the order in which contacts were added. */
export type Step =
  | { do: 'sync'; full: boolean }
  | { do: 'forget'; who: number; alsoInCrm: boolean }
  | { do: 'undo'; back: number }
  | { do: 'redeliver' }
  | { do: 'backup' }
  | { do: 'restore' }
  | { do: 'decide'; approve: boolean }
  | { do: 'delete' | 'vanish' | 'put back' | 'double'; who: number }
  | { do: 'merge'; loser: number; winner: number; fillsBlanks: boolean }
  | { do: 'rename' | 'move'; who: number }
  | { do: 'type'; who: number; field: string; about: number }
  | { do: 'unmap' | 'map'; what: 'paths' | 'bio' }
  | { do: 'drop network' | 'add network' }
  | { do: 'leave board' | 'join board'; who: number }
  | { do: 'rewire' }
  | { do: 'hide'; field: string }
  | { do: 'show' }
  | { do: 'refuse'; who: number }
  | { do: 'allow' }
  | { do: 'away' | 'break a write' }
  | { do: 'wait'; days: number };

export interface History {
  seed: number;
  contacts: number;
  /** The first contacts are on the board. This is their number. */
  board: number;
  /** True if two clients of the history share one CRM account. */
  isShared: boolean;
  /** True if the CRM runs on a different machine, where a hidden field may still exist. */
  isRemote: boolean;
  /** True if the service's profiles name other people. */
  areBiosTelling: boolean;
  /** True if the product does not store profiles. */
  keepsNoProfiles: boolean;
  steps: readonly Step[];
}

export const TYPED_FIELDS = ['Warm Path', 'Donor Biography', 'Donor Work'] as const;
const HIDDEN_FIELDS = ['Warm Path', 'Warm Path Introducer', 'Donor Biography', 'Donor ID'] as const;

export function historyOf(seed: number): History {
  const random = createRandom(`history ${seed}`);
  const contacts = random.int(4, 7);
  const board = random.int(2, 3);
  // A separate random generator chooses the theme, so that the theme does not change the other steps of the history.
  const theme = createRandom(`theme ${seed}`).int(0, 99);
  const isCutOff = theme < 6;
  const isSetBack = theme >= 94;
  const drawn = random.chance(0.8) ? random.int(0, board - 1) : random.int(0, contacts - 1);
  // Only contacts outside of the networks get an introduction path.
  const person = isCutOff ? contacts - 1 : drawn;
  const draw = (): Step => stepOf(random, { contacts, person });
  const before = Array.from({ length: random.int(1, 6) }, draw);
  const after = Array.from({ length: random.int(0, 4) }, draw);
  const last = Array.from({ length: random.int(1, 3) }, () => lastStepOf(random, person));
  return {
    ...{ seed, contacts, board },
    isShared: random.chance(0.2),
    isRemote: random.chance(0.7),
    areBiosTelling: createRandom(`bios ${seed}`).chance(0.5),
    keepsNoProfiles: random.chance(0.15),
    steps: [
      { do: 'sync', full: false },
      ...(random.chance(0.5) ? [{ do: 'backup' } as const] : []),
      ...before,
      ...(isCutOff ? cutOff(person) : []),
      ...(isSetBack ? setBack(person) : []),
      { do: 'forget', who: person, alsoInCrm: random.chance(0.8) },
      ...after,
      // From this step on, the CRM accepts all writes.
      ...[{ do: 'show' } as const, { do: 'allow' } as const],
      { do: 'forget', who: person, alsoInCrm: random.chance(0.8) },
      ...last,
    ],
  };
}

/**
 * Plans an erasure that the CRM refuses, and an undo before the second attempt. The contact is blocked, and the
 * database still contains its written values. The board has other members, so the run searches for paths again and
 * replaces values of an earlier path.
 */
function cutOff(who: number): Step[] {
  return [
    { do: 'sync', full: false },
    { do: 'rewire' },
    { do: 'leave board', who: 0 },
    { do: 'sync', full: true },
    { do: 'refuse', who },
    { do: 'forget', who, alsoInCrm: true },
    { do: 'allow' },
    { do: 'undo', back: 0 },
  ];
}

/** Returns steps that write values after a backup, and then restore the backup before the erasure. */
function setBack(who: number): Step[] {
  return [
    { do: 'backup' },
    { do: 'rewire' },
    { do: 'leave board', who: who === 0 ? 1 : 0 },
    { do: 'sync', full: true },
    { do: 'restore' },
  ];
}

/** Returns a step that could bring an erased person back. */
function lastStepOf(random: Random, person: number): Step {
  return random.pick<Step>([
    { do: 'undo', back: random.int(0, 3) },
    { do: 'undo', back: random.int(0, 3) },
    { do: 'redeliver' },
    { do: 'restore' },
    { do: 'sync', full: random.chance(0.5) },
    { do: 'put back', who: person },
  ]);
}

function stepOf(random: Random, { contacts, person }: { contacts: number; person: number }): Step {
  const anyone = () => random.int(0, contacts - 1);
  /** In half of the cases, returns the person whom the history erases. */
  const someone = () => (random.chance(0.5) ? person : anyone());
  const isSync = random.chance(0.3);
  if (isSync) return { do: 'sync', full: random.chance(0.3) };
  return random.pick<Step>([
    { do: 'undo', back: random.int(0, 2) },
    { do: 'undo', back: random.int(0, 2) },
    { do: 'redeliver' },
    { do: 'backup' },
    { do: 'restore' },
    { do: 'decide', approve: random.chance(0.5) },
    { do: 'delete', who: person },
    { do: 'delete', who: someone() },
    { do: 'vanish', who: someone() },
    { do: 'put back', who: someone() },
    { do: 'double', who: someone() },
    { do: 'merge', loser: someone(), winner: anyone(), fillsBlanks: random.chance(0.5) },
    { do: 'merge', loser: anyone(), winner: anyone(), fillsBlanks: random.chance(0.5) },
    { do: 'rename', who: someone() },
    { do: 'move', who: someone() },
    { do: 'type', who: anyone(), field: random.pick(TYPED_FIELDS), about: person },
    { do: 'unmap', what: random.pick(['paths', 'bio']) },
    { do: 'unmap', what: 'paths' },
    { do: 'map', what: random.pick(['paths', 'bio']) },
    { do: 'drop network' },
    { do: 'drop network' },
    { do: 'add network' },
    { do: 'leave board', who: someone() },
    { do: 'join board', who: anyone() },
    { do: 'rewire' },
    { do: 'rewire' },
    { do: 'hide', field: random.pick(HIDDEN_FIELDS) },
    { do: 'hide', field: random.pick(HIDDEN_FIELDS) },
    { do: 'show' },
    { do: 'refuse', who: anyone() },
    { do: 'allow' },
    { do: 'away' },
    { do: 'break a write' },
    { do: 'wait', days: random.int(1, 100) },
    { do: 'forget', who: anyone(), alsoInCrm: random.chance(0.8) },
  ]);
}
