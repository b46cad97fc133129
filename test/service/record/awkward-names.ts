/**
 * Awkward names as people type them into Part VII of Form 990. The names follow patterns in real returns and contain
 * the names of real people in the public record. The patterns were collected before the reader's mistakes were known.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { chance, createDraw, type Draw, pick } from '../../../people/random.ts';

/** A name as written, and the person it names. The person is null if the text names nobody. */
export interface AwkwardName {
  written: string;
  right: { first: string; middle: string | null; last: string; suffix: string | null } | null;
}

type Person = NonNullable<AwkwardName['right']>;

const RECORD = join(import.meta.dirname, '../../../people/data/public-record/people.csv');
const row = z.object({ full_name: z.string(), given_name: z.string(), family_name: z.string() });

/** Forms that only a name register contains, and a first name that cannot be distinguished from a rank. */
const UNFAIR = /\[|^Major /;

/** Last names of two words that a reader can recognise. Some contain a particle, and others are Spanish. */
const TWO_WORDS = /^(?:de|del|la|du|van|vander|von|st\.|san)\s|^(?:Acevedo Vilá|Córdova Díaz)$/i;

/** Names that are also titles, roles or words for "nobody". */
const MISLEADING = (
  'James Dean|Carl Bishop|Mary Ann Judge|Robert Trust|Harold Doctor|Amy Chair|Lucy See|Anh Do|Peter Banks|Grace Church|' +
  'Dean Phillips|Ed Pastor|Judge Reinhart|Paul Marshall|Henry Abbott|Sarah Pope|Mark Constable|' +
  'Duke Ellison|Sandra King|Jack Ma|Linda Chief|Tom Price|Wendy Fellow|Ruth Sexton|Ann Steward|Bishop Garrison'
).split('|');

const BEFORE =
  `MR|MRS.|MS|DR|DR.|REV|REV.|REV. DR.|THE REV.|REVEREND|FATHER|FR.|FR|SISTER|RABBI|HON|HON.|THE HONORABLE|JUDGE|COL|COL.|LT COL|LTC|
  MAJ GEN|LT GEN|BRIG GEN|VADM|RADM|CAPT|CDR|CMSGT|SGT MAJ|CW4|MOST REV|THE MOST REVEREND|VERY REV|BISHOP|DEACON|ELDER|BROTHER|BR.|
  PASTOR|MAYOR|SENATOR|SEN.|REP.|AMB.|AMBASSADOR|PROF|PROF.|SHERIFF|ATTY|ATTORNEY|GOV.|COMMISSIONER`
    .split('|')
    .map((text) => text.trim());

const DEGREES =
  `MD|M.D.|DO|D.O.|DDS|DMD|PHD|PH.D.|PH.D|EDD|ED.D.|JD|ESQ|ESQ.|ESQUIRE|CPA|MBA|RN|BSN RN|MSN, RN|FACHE|FAAP|FACS|CFP|CFRE|CAE|LCSW|LICSW|
  LMHC|MSW|MPH|MPA|M.ED.|MS|MA|PA-C|APRN|CRNA|DPT|OD|DC|DPM|DVM|PE|P.E.|AIA|SPHR|SHRM-SCP|SJ|S.J.|OP|O.P.|OSB|OSF|CSC|RSM|SSND|USN|USMC RET|USA (RET)|
  USAF, RET.|PHD RN|MD, PHD|MD FACP`
    .split('|')
    .map((text) => text.trim());

const ROLES =
  `PRESIDENT|CHAIR|TREASURER|SECRETARY|DIRECTOR|TRUSTEE|CEO|CFO|PRESIDENT/CEO|PRESIDENT & CEO|PAST PRESIDENT|IMMEDIATE PAST PRESIDENT|BOARD CHAIR|
  VICE-CHAIR|VICE CHAIR|VICE PRESIDENT|SEC/TREAS|SECRETARY/TREASURER|EX OFFICIO|EX-OFFICIO|EXEC DIRECTOR|EXECUTIVE DIRECTOR|INTERIM CEO|GENERAL COUNSEL|
  STUDENT REP|MEMBER EMERITUS|CO-CHAIR|NON-VOTING|1ST VICE PRESIDENT|2ND VP|BOARD MEMBER|MEMBER-AT-LARGE|ASST SECRETARY|EMERITUS|CHAIRMAN OF THE BOARD`
    .split('|')
    .map((text) => text.trim());

const NOTES =
  `(THRU 6/23)|THRU 12/2022|(UNTIL JUNE 2023)|(BEG. 9/2023)|(EFF 7/1/2023)|EFFECTIVE 7/1/23|(RESIGNED 3/1/2023)|- RESIGNED|RESIGNED 3/23|(TERMED 5/23)|
  (TERM ENDED 06/30/2023)|TERM ENDING JUNE 2023|(LEFT 4/23)|(RETIRED)|- RETIRED 6/2023|(DECEASED)|(PART-YEAR)|(PARTIAL)|FROM JAN 2023|(7/22-6/23)|
  07/22 - 06/23|(FORMER)|(OUTGOING)|(INCOMING)|AS OF 1/1/23|(1)|*|**|[1]|(SEE SCH O)|SEE SCHEDULE J|(A)|PARTIAL YEAR|(NON VOTING)|- ENDED 5/2023|
  STARTED 8/23|(NEW)|END DATE 6/30/23|(THROUGH DECEMBER 2022)|JAN-JUN 2023`
    .split('|')
    .map((text) => text.trim());

const NO_ONE =
  `VACANT|VACANCY|VACANT POSITION|SEE ATTACHED LIST|SEE SCHEDULE O|NONE|N/A|TBD|TO BE DETERMINED|TO BE NAMED|OPEN|OPEN SEAT|WELLS FARGO BANK NA|
  JPMORGAN CHASE BANK|PNC BANK, N.A.|US BANK NA|BNY MELLON NA|FIDUCIARY TRUST INTERNATIONAL|FIRST CITIZENS BANK & TRUST CO|BOARD OF DIRECTORS|
  REFER TO STATEMENT 8|STATEMENT 1|ATTACHMENT 15|SAME AS ABOVE|KEYBANK NATIONAL ASSOCIATION|NOT APPLICABLE|UNFILLED|VARIOUS`
    .split('|')
    .map((text) => text.trim());

const SUFFIXES = new Map([
  ['Jr', [' JR', ' JR.', ', JR', ', JR.', ',JR', ' JUNIOR']],
  ['Sr', [' SR', ', SR.', ' SR.']],
  ['II', [' II', ', II', ' 2ND']],
  ['III', [' III', ', III', ',III', ' 3RD']],
  ['IV', [' IV', ', IV']],
]);

const NICKNAMES = 'SKIP|BUDDY|CHIP|TRIP|BO|MICKEY|PEGGY'.split('|');

/** Creates random names that are awkward in one or more ways. */
export function drawAwkwardNames(seed: number, count: number): AwkwardName[] {
  const people = readPeople();
  const twoWords = people.filter(({ last }) => last.includes(' '));
  return Array.from({ length: count }, (_, at) => {
    const draw = createDraw(seed, 'awkward names', at);
    if (chance(draw, 0.06)) return { written: pick(draw, NO_ONE), right: null };
    const person = chance(draw, 0.08)
      ? misleading(draw)
      : pick(draw, chance(draw, 0.18) ? twoWords : people);
    const written = write(draw, person);
    return { written: chance(draw, 0.75) ? written.toUpperCase() : written, right: person };
  });
}

/** Creates the random people in a return that writes last names first and without commas. */
export function drawTurnedReturn(seed: number, count: number): AwkwardName[] {
  const people = readPeople().filter(({ first }) => first.replace('.', '').length > 1);
  return Array.from({ length: count }, (_, at) => {
    const draw = createDraw(seed, 'turned names', at);
    const person = pick(draw, people);
    const { first, middle, last, suffix } = person;
    const after = chance(draw, 0.15) ? pick(draw, [' DR', ' MD', ' (THRU 6/23)', ' CPA']) : '';
    const written = [last, suffix, first, middle].filter((part) => part !== null).join(' ') + after;
    return { written: written.toUpperCase(), right: person };
  });
}

function write(draw: Draw, { first, middle, last, suffix }: Person): string {
  const nickname = chance(draw, 0.12) ? pick(draw, NICKNAMES) : null;
  const quoted =
    nickname && pick(draw, [`"${nickname}"`, `(${nickname})`, `'${nickname}'`, `“${nickname}”`]);
  const given = [first, middle]
    .filter((part) => part !== null)
    .join(chance(draw, 0.1) ? '  ' : ' ');
  const generation = suffix === null ? '' : pick(draw, SUFFIXES.get(suffix) ?? [` ${suffix}`]);
  if (chance(draw, 0.2)) return writeTurned(draw, given, last, suffix);
  const named = [given, quoted, last].filter((part) => part !== null).join(' ') + generation;
  const end = pick(draw, [
    () => pick(draw, [', ', ' ', ', ']) + pick(draw, DEGREES),
    () => pick(draw, [', ', ' - ', ', ', ' -', ': ', ' ']) + pick(draw, ROLES),
    () => ` ${pick(draw, NOTES)}`,
    () => ` ${pick(draw, NOTES)}`,
    () => `, ${pick(draw, DEGREES)}${pick(draw, [', ', ' - '])}${pick(draw, ROLES)}`,
    () => ` (${pick(draw, ROLES)})`,
    () => '',
  ])();
  const isTitled = end === '' || chance(draw, 0.3);
  return (isTitled ? `${pick(draw, BEFORE)} ` : '') + named + end;
}

function writeTurned(draw: Draw, given: string, last: string, suffix: string | null): string {
  const end = suffix ?? '';
  const space = chance(draw, 0.2) ? '' : ' ';
  if (end === '') {
    return pick(draw, [
      `${last},${space}${given}`,
      `${last}, ${pick(draw, ['DR', 'REV', 'REV.'])} ${given}`,
      `${last}, ${given}, ${pick(draw, DEGREES)}`,
      `${last}, ${given} ${pick(draw, ['MD', 'PHD', 'CPA', '(THRU 6/23)', '- CHAIR'])}`,
    ]);
  }
  return pick(draw, [
    `${last} ${end},${space}${given}`,
    `${last}, ${end}, ${given}`,
    `${last}, ${given}, ${end}`,
    `${last}, ${given} ${end}`,
  ]);
}

function misleading(draw: Draw): Person {
  const [first = '', ...rest] = pick(draw, MISLEADING).split(' ');
  return {
    first,
    middle: rest.length > 1 ? rest.slice(0, -1).join(' ') : null,
    last: rest.at(-1) ?? '',
    suffix: null,
  };
}

function readPeople(): Person[] {
  const rows = parse(readFileSync(RECORD, 'utf8'), { columns: true });
  return z
    .array(row)
    .parse(rows)
    .flatMap(({ full_name, family_name }) => {
      const [name = '', after = ''] = full_name.split(', ');
      const suffix = after.replace('.', '');
      const last = family_name.split(',')[0] ?? '';
      if (UNFAIR.test(name) || (last.includes(' ') && !TWO_WORDS.test(last))) return [];
      if (!name.endsWith(` ${last}`) || (after !== '' && !SUFFIXES.has(suffix))) return [];
      const [first = '', ...middle] = name.slice(0, -last.length).trim().split(' ');
      return [
        {
          first,
          middle: middle.length === 0 ? null : middle.join(' '),
          last,
          suffix: suffix === '' ? null : suffix,
        },
      ];
    });
}
