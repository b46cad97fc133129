/** Describes a warm path in words. All functions are pure. */
import type { Connection } from '../partner/connections/connection.ts';

export interface SentenceParts {
  connection: Connection;
  /** The name of the introducer's network. Empty if the network's name is not known. */
  network: string;
  /** The number of network members who are connected to the contact. */
  people: number;
  /** The name that the sentence uses for the contact: the first name from the CRM. */
  calledName: string;
}

/**
 * Describes a path. An example is `Maria Ortiz (Board) sat on the board of Riverside Food Bank with Anna, 2012–2018. 4
 * people in your networks know Anna.` The sentence does not guess anyone's gender.
 */
export function describePath(parts: SentenceParts): string {
  const more = parts.people > 1 ? ` ${countText(parts)}` : '';
  return `${describeConnection(parts)}${more}`;
}

/** Returns the sentence about one connection. */
export function describeConnection({
  connection,
  network,
  calledName,
}: Omit<SentenceParts, 'people'>): string {
  const introducer = introducerText(connection, network);
  const { entityName, snippet } = connection;
  const source = toTie(connection.sourceRelationship);
  const target = toTie(connection.targetRelationship);
  if (entityName === null) return withoutPlace(introducer, calledName, snippet);
  const place = withArticle(entityName, connection.entityType);
  if (source === null || target === null) {
    return ended(`${introducer} knows ${calledName} through ${place}`);
  }
  const years = snippet === null ? null : sharedYearsIn(snippet, entityName);
  const scene = { introducer, calledName, place, years };
  return source.kind === target.kind
    ? describeTogether(scene, source.kind, chooseTense(source, target, years))
    : describeAcross(scene, source.kind, target.kind, chooseTense(source, target, years));
}

function introducerText({ sourceDonor }: Connection, network: string): string {
  const name = sourceDonor.name?.replace(/\s+/g, ' ') ?? null;
  if (network === '') return name ?? 'Someone';
  return `${name ?? 'Someone'} (${network})`;
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

/**
 * The tense of a relationship. `past` means that the relationship has ended. `perfect` means that it started in a known
 * year and continues. `present` means that it continues, or that its state is unknown.
 */
type Tense = 'past' | 'perfect' | 'present';

function chooseTense(source: Tie, target: Tie, years: SharedYears | null): Tense {
  if (years !== null) return years.to === null ? 'perfect' : 'past';
  return source.isOver || target.isOver ? 'past' : 'present';
}

/** The introducer's role in the organisation, as a verb. */
const ACTIONS = {
  board: { past: 'sat on', perfect: 'has sat on', present: 'sits on' },
  service: { past: 'served in', perfect: 'has served in', present: 'serves in' },
  work: { past: 'worked at', perfect: 'has worked at', present: 'works at' },
  school: { past: 'attended', perfect: 'has attended', present: 'attends' },
  gift: { past: 'gave to', perfect: 'has given to', present: 'gives to' },
} as const satisfies Record<TieKind, Record<Tense, string>>;

/** Describes two people with the same relationship to the same organisation. */
function describeTogether(scene: Scene, kind: TieKind, tense: Tense): string {
  const { introducer, calledName, years } = scene;
  const action = `${ACTIONS[kind][tense]} ${boardOr(kind, scene.place)}`;
  if (kind !== 'gift')
    return ended(`${introducer} ${action} with ${calledName}${yearsText(years)}`);
  const deeds = { past: 'gave', perfect: 'have given', present: 'give' }[tense];
  return ended(
    `${introducer} and ${calledName} both ${deeds} to ${scene.place}${yearsText(years)}`,
  );
}

/** The contact's role in the same organisation during the same years, as a verb. */
const MEANWHILE = {
  board: { past: 'sat on its board', present: 'sits on its board' },
  service: { past: 'served there', present: 'serves there' },
  work: { past: 'worked there', present: 'works there' },
  school: { past: 'studied there', present: 'studies there' },
  gift: { past: 'gave to it', present: 'gives to it' },
} as const satisfies Record<TieKind, Record<Exclude<Tense, 'perfect'>, string>>;

/** Describes two people with different relationships to the same organisation. */
function describeAcross(scene: Scene, source: TieKind, target: TieKind, tense: Tense): string {
  const { introducer, calledName, years } = scene;
  const action = `${introducer} ${ACTIONS[source][tense]} ${boardOr(source, scene.place)}`;
  if (tense === 'past') {
    return ended(`${action} while ${calledName} ${MEANWHILE[target].past}${yearsText(years)}`);
  }
  return ended(`${action}${yearsText(years)}, and ${calledName} ${MEANWHILE[target].present}`);
}

/** Returns a phrase such as `the board of Hill College`. A committee has no board, so its own name is used. */
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

/** Adds a full stop, unless the text already ends with a full stop, such as `Tom Jr.`. */
function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

/** Returns an organisation's name in the form that a sentence needs. */

/** A name that starts with one of these words needs an article, whatever kind of organisation it is. */
const ARTICLE_BEFORE =
  /^(?:U\.S\. (?!Steel|Bank)|United States (?!Steel)|United Nations|University of |College of |Supreme Court|Department of |City of |State of |White House|Board of |Committee on |Joint |Friends of |YMCA|YWCA|NAACP)/;

/** Words for kinds of nonprofits. The word is the last word of the name, or comes before `of`, `for` or `on`. */
const ARTICLE_FOR =
  /\b(?:Administration|Agency|Alliance|Army|Arboretum|Aquarium|Association|Authority|Ballet|Board|Bureau|Cent(?:er|re)|Chamber|Clinic|Club|Coalition|Collaborative|Commission|Committee|Conference|Congress|Conservancy|Consortium|Corps|Council|Court|Cross|Department|Endowment|Federation|Fellowship|Foundation|Friends|Fund|Gallery|Gardens?|Guild|House of Representatives|Initiative|Institute|Institution|League|Library|Mission|Museum|Network|Opera|Orchestra|Panel|Partnership|Philharmonic|Project|Senate|Shelter|Society|Symphony|Theatre|Theater|Trust|Union|Zoo)(?: (?:of|for|on|to|against)\b[\s\S]*)?$/;

/** Kinds of organisations whose names have no article. */
const PLAIN_KINDS: ReadonlySet<string> = new Set(['company', 'school']);

/**
 * Adds an article if English needs one: `the Women's Shelter`, but plain `Riverside Food Bank`. The result has one
 * line. `kind` is the service's word for the organisation's kind.
 */
export function withArticle(name: string, kind: string | null): string {
  const plain = name.replace(/\s+/g, ' ').trim();
  const isDescription = !PLAIN_KINDS.has(kind ?? '') && ARTICLE_FOR.test(plain);
  const hasOwn = /^the /i.test(plain);
  return !hasOwn && (isDescription || ARTICLE_BEFORE.test(plain)) ? `the ${plain}` : plain;
}

/** The kind of a person's relationship to an organisation. Each kind of relationship needs a different sentence. */
export type TieKind = 'board' | 'service' | 'work' | 'school' | 'gift';

/** A relationship in donor-sync's own form. */
export interface Tie {
  kind: TieKind;
  /** True if the service reports that the relationship has ended. */
  isOver: boolean;
}

/**
 * The service's words for relationships. The document does not list all of them (section 2.2). If a word is missing
 * here, the sentence contains fewer details.
 */
const TIES = {
  sits_on_board_of: { kind: 'board', isOver: false },
  sat_on_board_of: { kind: 'board', isOver: true },
  served_in: { kind: 'service', isOver: true },
  serves_in: { kind: 'service', isOver: false },
  works_for: { kind: 'work', isOver: false },
  worked_for: { kind: 'work', isOver: true },
  attends: { kind: 'school', isOver: false },
  attended: { kind: 'school', isOver: true },
  donates_to: { kind: 'gift', isOver: false },
  donated_to: { kind: 'gift', isOver: true },
} as const satisfies Record<string, Tie>;

/** Returns the relationship for a word of the service, or null for an unknown word. */
function toTie(relationship: string | null): Tie | null {
  const word = relationship?.trim().toLowerCase().replaceAll(' ', '_') ?? '';
  return isKnown(word) ? TIES[word] : null;
}

function isKnown(word: string): word is keyof typeof TIES {
  return Object.hasOwn(TIES, word);
}

/**
 * The calendar years in which two people were in the same organisation. `to` is null if both people are still there.
 */
export interface SharedYears {
  from: number;
  to: number | null;
}

/**
 * Returns the years in a connection's snippet, such as `Both on the board of Hill College, 2012–2018; also …`. Returns
 * null if the snippet contains no years. Snippets have no fixed form (service document, section 2.2), so the function
 * ignores years in the organisation's own name.
 */
export function sharedYearsIn(snippet: string, entityName: string | null): SharedYears | null {
  const text = afterName(snippet, entityName).split(';')[0] ?? '';
  const range = /\b(\d{4})\s?[–—-]\s?(\d{4})\b/.exec(text);
  if (range) return plausible(Number(range[1]), Number(range[2]));
  const since =
    /\bsince (\d{4})\b/i.exec(text) ?? /\b(\d{4})\s?[–—-]\s?(?:present|now)\b/i.exec(text);
  if (since) return plausible(Number(since[1]), null);
  const single = /(?:,|\bin) (\d{4})$/.exec(text.trim());
  return single ? plausible(Number(single[1]), Number(single[1])) : null;
}

function afterName(snippet: string, entityName: string | null): string {
  const start = entityName === null ? -1 : snippet.indexOf(entityName);
  return start === -1 ? snippet : snippet.slice(start + (entityName ?? '').length);
}

/** The earliest year of a relationship. Nobody with an earlier relationship is still alive. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2200;

function plausible(from: number, to: number | null): SharedYears | null {
  const isPlausible = from >= FIRST_YEAR && (to ?? from) >= from && (to ?? from) <= LAST_YEAR;
  return isPlausible ? { from, to } : null;
}

/** Returns the contact's name for a sentence: the first name in its usual spelling. */
export function calledName(contact: { firstName: string | null; lastName: string | null }): string {
  const [first, last] = [contact.firstName, contact.lastName].map(tidy);
  if (!first) return last || 'this person';
  const words = first.split(' ');
  const lastName = words.findLastIndex((word, at) => at === 0 || !/^\p{L}\.?$/u.test(word));
  const withoutInitials = words.slice(0, lastName + 1).join(' ');
  // A single initial is not enough, so the last name is added.
  return isInitial(withoutInitials) && last ? `${withoutInitials} ${last}` : withoutInitials;
}

function tidy(name: string | null): string {
  const line = (name ?? '').replace(/\s+/g, ' ').trim();
  return line.split(' ').map(recased).join(' ');
}

/**
 * Corrects names that are all in upper or lower case. A word of two capital letters may be initials, so it remains
 * unchanged.
 */
function recased(word: string): string {
  const isUpper = word === word.toUpperCase() && word.length > 2;
  if (!isUpper && word !== word.toLowerCase()) return word;
  return word.toLowerCase().replace(/(^|[-'’.])\p{L}/gu, (start) => start.toUpperCase());
}

/** True for `E.`, `J.P.` or `JP`, but not for `Jo`. */
function isInitial(name: string): boolean {
  return /^(?:\p{L}|(?:\p{L}\.)+|\p{Lu}{2})$/u.test(name);
}
