/**
 * Searches for remains of an erased person. The judge searches the database's bytes, the strings that the available
 * keys decrypt, the CRM, log lines, requests and the output of commands. The judge knows the people in the history, but
 * not how the product finds them.
 */

import { parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { placeOfRow, SEALED_COLUMNS } from '../../src/database/encryption/seal-contexts.ts';
import { createSealer } from '../../src/database/encryption/sealed.ts';
import { decryptProfile } from '../../src/fields/kept-profile.ts';
import { auditLines, pagesOfAudit } from '../../src/privacy/audit-view.ts';
import { hasTracesOfContact } from '../../src/privacy/statements/known-contacts.ts';
import { SECRET_KEY } from '../simulation/settings.ts';
import { judgeReceipt } from './judge-receipt.ts';
import type { Step } from './plan.ts';
import type { Erasure, World } from './world.ts';

const SEALER = createSealer(parseKeyRing(SECRET_KEY));

/** Matches requests that remove a donor from networks. Such requests have to name the donor. */
const LEAVING = /\/members\/remove$|^GET \/networks\/donors\//;

export async function judge(world: World, step: Step, isLastStep: boolean): Promise<void> {
  if (step.do === 'forget') judgeReceipt(world, step);
  const done = [...world.erasures.values()].filter(({ isDone }) => isDone);
  for (const erasure of done) judgeCrm(world, erasure);
  for (const erasure of world.erasures.values()) judgeBlocked(world, erasure);
  if (done.length === 0 || !CHANGES_STORE.has(step.do)) return;
  await world.store.mirror();
  const bytes = world.store.bytes();
  const opened = openAll(world);
  for (const erasure of done) {
    judgeStore(world, erasure, bytes, opened);
    judgeTraffic(world, erasure);
  }
  if (isLastStep) for (const erasure of done) await judgeCommands(world, erasure);
}

/** The steps that can change the database, or send data from the product. */
const CHANGES_STORE: ReadonlySet<Step['do']> = new Set([
  ...(['sync', 'forget', 'undo', 'redeliver', 'restore', 'decide'] as const),
]);

/**
 * Returns the words that identify the erased person. Returns an empty list if the person also has a different record,
 * or if the person's record was merged into a different record.
 */
export function wordsOf(world: World, { record }: Pick<Erasure, 'record'>): string[] {
  const { human } = record;
  const others = world.records.filter((each) => each.human === human && each.id !== record.id);
  const isErased = others.every(({ id }) => world.erasures.get(id)?.isDone === true);
  const family = familyOf(world, record.id);
  const isAlone = world.records.every(
    ({ id, human: other }) =>
      !family.has(id) || other === human || world.erasures.get(id)?.isDone === true,
  );
  return isErased && isAlone ? [...human.words, human.donorId] : [];
}

/** Returns the records into which a user merged the record. */
export function familyOf({ merges }: World, id: string): Set<string> {
  const family = new Set([id]);
  for (let next = merges.get(id); next !== undefined; next = merges.get(next)) family.add(next);
  return family;
}

function judgeStore(
  world: World,
  erasure: Erasure,
  bytes: Buffer,
  opened: readonly Opened[],
): void {
  const { id } = erasure.record;
  for (const word of [id, ...wordsOf(world, erasure)]) {
    if (bytes.includes(word)) {
      const tables = tablesWith(world, word);
      // The next sync removes the donor from the service's networks. Until then, the mirror contains the donor.
      const isLeaving = word === erasure.record.human.donorId && !erasure.isSynced;
      if (isLeaving && tables.every((table) => table === 'network_members')) continue;
      const where = tables.length === 0 ? 'in no row' : tables.join(', ');
      world.violate(`the database has ${kindOf(erasure, word)} of an erased person: ${where}`);
      return;
    }
    const found = opened.find(({ text }) => tells(world, erasure, text, word));
    if (found === undefined) continue;
    world.violate(`${found.where} has ${kindOf(erasure, word)} of an erased person: ${found.text}`);
    return;
  }
}

function tablesWith({ store }: World, word: string): string[] {
  return [...store.backUp()].flatMap(([name, rows]) =>
    rows.some((row) => Object.values(row).join('\n').includes(word)) ? name : [],
  );
}

function kindOf({ record: { id, human } }: Erasure, word: string): string {
  if (word === id) return 'the id';
  if (word === human.donorId) return 'the donor id';
  if (word === human.street || word === human.employer) return 'an address or employer';
  return word === human.trait ? 'a value of the profile' : 'a name';
}

interface Opened {
  where: string;
  text: string;
}

/** Decrypts all values for which a key is available. */
function openAll({ store }: World): Opened[] {
  const opened: Opened[] = [];
  for (const column of SEALED_COLUMNS) {
    for (const row of store.rows(`select * from "${column.table}"`)) {
      const sealed = row[column.column];
      if (typeof sealed !== 'string' || sealed === '') continue;
      const where = `${column.table}.${column.column}`;
      const text = openOrNothing(() => SEALER.open(sealed, placeOfRow(column, row)));
      opened.push({ where, text });
      if (column.table !== 'kept_profiles') continue;
      const kept = {
        ...{ integrationId: String(row['integration_id']), crmId: String(row['crm_id']) },
        ...{ key: String(row['key']), profile: String(row['profile']) },
      };
      const profile = openOrNothing(() => JSON.stringify(decryptProfile({ sealer: SEALER }, kept)));
      opened.push({ where: 'kept_profiles.profile', text: profile });
    }
  }
  return opened;
}

function openOrNothing(open: () => string): string {
  try {
    return open();
  } catch {
    return '';
  }
}

/** Checks the CRM fields that the product has written. Reports each field that reveals the person. */
function judgeCrm(world: World, erasure: Erasure): void {
  const { record, receipt, alsoInCrm, isSynced } = erasure;
  const words = wordsOf(world, erasure);
  const family = familyOf(world, record.id);
  for (const [id, fields] of world.snapshot()) {
    if (family.has(id)) continue;
    for (const [field, { value, by }] of fields) {
      if (by !== 'us' || !words.some((word) => String(value).includes(word))) continue;
      if (!isSynced && (!alsoInCrm || isNamed(receipt.pending, field))) continue;
      if (world.isOutOfReach(id, field)) continue;
      world.violate(`${id} has a text of ours about an erased person in "${field}": ${value}`);
      return;
    }
  }
}

function isNamed(pending: Erasure['receipt']['pending'], field: string): boolean {
  return pending.some(({ text }) => text.includes(field) || /\d contacts? /.test(text));
}

/**
 * Returns true if the string reveals the person. An earlier backup contains users' strings unchanged. After its
 * restore, the check therefore counts only the product's own strings.
 */
function tells({ typedTexts }: World, erasure: Erasure, text: string, word: string): boolean {
  if (!text.includes(word)) return false;
  if (!erasure.isFromBackup) return true;
  return typedTexts.reduce((left, typed) => left.replaceAll(typed, ''), text).includes(word);
}

/** After the erasure of a contact has started, the product must not write into the contact. */
function judgeBlocked(world: World, { since, record }: Erasure): void {
  for (const { id, values } of world.crm.writes.slice(since.write)) {
    if (id !== record.id || Object.values(values).every((value) => value === null)) continue;
    world.violate(`values were written into an erased contact: ${JSON.stringify(values)}`);
    return;
  }
}

/** Checks all data that the product has sent or logged since the erasure. */
function judgeTraffic(world: World, erasure: Erasure): void {
  const { crm, service, logLines } = world;
  const { since, record } = erasure;
  const words = wordsOf(world, erasure);
  for (const { id, values } of crm.writes.slice(since.write)) {
    const told = Object.entries(values).find(
      ([, value]) =>
        value !== null && words.some((word) => tells(world, erasure, String(value), word)),
    );
    if (told !== undefined) {
      world.violate(`${id} was written a text about an erased person: ${told.join(' = ')}`);
      return;
    }
  }
  for (const { endpoint, text } of service.lines.slice(since.line)) {
    if (LEAVING.test(endpoint)) continue;
    if (!words.some((word) => text.includes(word) || endpoint.includes(word))) continue;
    world.violate(`the service was asked about an erased person: ${endpoint} ${text}`);
    return;
  }
  for (const line of logLines) {
    const word = record.human.words.find((each) => line.includes(each));
    if (word === undefined) continue;
    world.violate(`a line of the log has ${kindOf(erasure, word)}: ${line}`);
    return;
  }
}

/** Checks the output of commands. */
async function judgeCommands(world: World, erasure: Erasure): Promise<void> {
  const { id } = erasure.record;
  const words = [id, ...wordsOf(world, erasure)];
  await world.withProduct(async ({ store }) => {
    for (const { id: integration } of world.integrations()) {
      if (await hasTracesOfContact(store.reader, integration, [id])) {
        world.violate(`${integration} has traces of an erased contact`);
      }
      let audit = '';
      for await (const page of pagesOfAudit(store, { integrationId: integration })) {
        audit += auditLines(page);
      }
      const word = words.find((each) => audit.includes(each));
      if (word !== undefined) world.violate(`the audit shows ${kindOf(erasure, word)}`);
    }
  });
}
