/** A warm path as a person would write it: pure. */
import type { Connection } from '../partner/connections/connection.ts';
import { withArticle } from './organization-name.ts';
import { type Tie, type TieKind, tieOf } from './relationship.ts';
import { type SharedYears, sharedYearsIn } from './shared-years.ts';

/** What a sentence is made of. */
export interface SentenceParts {
  connection: Connection;
  /** The name of the network that the introducer comes from; empty if nobody knows it. */
  network: string;
  /** How many people in the networks the contact is connected to. */
  people: number;
  /** What the contact is called: the first name, as the CRM has it. */
  calledName: string;
}

/**
 * `Maria Ortiz (Board) sat on the board of Riverside Food Bank with Anna, 2012–2018. 4 people in
 * your networks know Anna.` Nobody's gender is guessed.
 */
export function tellPath(parts: SentenceParts): string {
  const more = parts.people > 1 ? ` ${countText(parts)}` : '';
  return `${tellConnection(parts)}${more}`;
}

/** The one sentence about a connection. */
export function tellConnection({
  connection,
  network,
  calledName,
}: Omit<SentenceParts, 'people'>): string {
  const introducer = introducerText(connection, network);
  const { entityName, snippet } = connection;
  const source = tieOf(connection.sourceRelationship);
  const target = tieOf(connection.targetRelationship);
  if (entityName === null) return withoutPlace(introducer, calledName, snippet);
  const place = withArticle(entityName, connection.entityType);
  if (source === null || target === null) {
    return ended(`${introducer} knows ${calledName} through ${place}`);
  }
  const years = snippet === null ? null : sharedYearsIn(snippet, entityName);
  const scene = { introducer, calledName, place, years };
  return source.kind === target.kind
    ? tellTogether(scene, source.kind, tenseOf(source, target, years))
    : tellAcross(scene, source.kind, target.kind, tenseOf(source, target, years));
}

function introducerText({ sourceDonor }: Connection, network: string): string {
  const name = sourceDonor.name?.replace(/\s+/g, ' ') ?? null;
  if (network === '') return name ?? 'Somebody';
  return `${name ?? 'Somebody'} (${network})`;
}

function countText({ people, calledName }: SentenceParts): string {
  return ended(`${people.toLocaleString('en-US')} people in your networks know ${calledName}`);
}

function withoutPlace(introducer: string, calledName: string, snippet: string | null): string {
  const label = snippet?.trim() ?? '';
  return ended(`${introducer} knows ${calledName}${label === '' ? '' : `: ${label}`}`);
}

interface Scene {
  introducer: string;
  calledName: string;
  place: string;
  years: SharedYears | null;
}

/** `past` is over, `perfect` began in a known year and lasts, `present` lasts or nobody knows. */
type Tense = 'past' | 'perfect' | 'present';

function tenseOf(source: Tie, target: Tie, years: SharedYears | null): Tense {
  if (years !== null) return years.to === null ? 'perfect' : 'past';
  return source.isOver || target.isOver ? 'past' : 'present';
}

/** What the introducer did there. */
const DEEDS = {
  board: { past: 'sat on', perfect: 'has sat on', present: 'sits on' },
  service: { past: 'served in', perfect: 'has served in', present: 'serves in' },
  work: { past: 'worked at', perfect: 'has worked at', present: 'works at' },
  school: { past: 'attended', perfect: 'has attended', present: 'attends' },
  gift: { past: 'gave to', perfect: 'has given to', present: 'gives to' },
} as const satisfies Record<TieKind, Record<Tense, string>>;

/** Both were the same thing to the same organization. */
function tellTogether(scene: Scene, kind: TieKind, tense: Tense): string {
  const { introducer, calledName, years } = scene;
  const deed = `${DEEDS[kind][tense]} ${boardOr(kind, scene.place)}`;
  if (kind !== 'gift') return ended(`${introducer} ${deed} with ${calledName}${yearsText(years)}`);
  const deeds = { past: 'gave', perfect: 'have given', present: 'give' }[tense];
  return ended(
    `${introducer} and ${calledName} both ${deeds} to ${scene.place}${yearsText(years)}`,
  );
}

/** What the contact did there meanwhile. */
const MEANWHILE = {
  board: { past: 'sat on its board', present: 'sits on its board' },
  service: { past: 'served there', present: 'serves there' },
  work: { past: 'worked there', present: 'works there' },
  school: { past: 'studied there', present: 'studies there' },
  gift: { past: 'gave to it', present: 'gives to it' },
} as const satisfies Record<TieKind, Record<Exclude<Tense, 'perfect'>, string>>;

/** Each was something else to the same organization. */
function tellAcross(scene: Scene, source: TieKind, target: TieKind, tense: Tense): string {
  const { introducer, calledName, years } = scene;
  const deed = `${introducer} ${DEEDS[source][tense]} ${boardOr(source, scene.place)}`;
  if (tense === 'past') {
    return ended(`${deed} while ${calledName} ${MEANWHILE[target].past}${yearsText(years)}`);
  }
  return ended(`${deed}${yearsText(years)}, and ${calledName} ${MEANWHILE[target].present}`);
}

/** `the board of Hill College`; a committee has no board, it is one. */
function boardOr(kind: TieKind, place: string): string {
  const isBoardItself = /\b(board|committee|commission|council|conference|panel)\b/i.test(place);
  return kind === 'board' && !isBoardItself ? `the board of ${place}` : place;
}

function yearsText(years: SharedYears | null): string {
  if (years === null) return '';
  const { from, to } = years;
  if (to === null) return ` since ${from}`;
  return from === to ? ` in ${from}` : `, ${from}–${to}`;
}

/** With its full stop; a name such as `Tom Jr.` brings one along. */
function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
