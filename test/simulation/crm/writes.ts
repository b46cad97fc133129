/** Writes into a simulated CRM as a process does, and checks that no forbidden value is written. */
import type { WriteResult } from '../../../connectors/contract.ts';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import type { Life } from '../processes/process.ts';
import type { CrmDeps, Inside } from './crm.ts';
import { erasedRow } from './family.ts';
import { automated, DONOR_ID, PROTECTED, TYPED } from './fields.ts';
import type { Record_ } from './record.ts';
import { refusalsOf } from './refusals.ts';

/** The time from the arrival of a page until its content is recorded. */
const NOTING_MS = 1_000;

export function write(
  inside: Inside,
  life: Life,
  id: string,
  wanted: FieldValues,
  together = false,
): WriteResult {
  const { crm } = inside;
  const record = crm.records.get(id);
  const refusals = refusalsOf(crm, wanted);
  const refused = refusals.flatMap(({ fields }) => fields);
  const isWhole =
    together ||
    refused.length === Object.keys(wanted).length ||
    refusals.some(({ fields }) => fields.length === 0);
  const [first] = refusals;
  if (first !== undefined && isWhole && record?.gone === null && !record.isVanished) {
    record.refusedTo.add(life);
    return { status: 'refused', id, ...first, fields: first.fields.length === 0 ? [] : refused };
  }
  const left = Object.entries(wanted).filter(([field]) => !refused.includes(field));
  const result = writeValues(inside, life, id, Object.fromEntries(left));
  if (refusals.length === 0 || result.status !== 'written') return result;
  return { status: 'written_in_part', id, refusals };
}

function writeValues(
  { crm, deps, touch }: Inside,
  life: Life,
  id: string,
  values: FieldValues,
): WriteResult {
  const { timeline, say, hasAutomation, keepsAuthors } = deps;
  const record = crm.records.get(id);
  if (record === undefined || record.gone !== null || record.isVanished) {
    const message = 'There is no such record.';
    return { status: 'refused', id, retriable: false, code: 'missing', message, fields: [] };
  }
  const valuesReadAt = record.valuesReadBy.get(life.name) ?? 0;
  const { human } = record;
  const donorId = values[DONOR_ID];
  const meanwhile = record.former.filter(({ until }) => until >= valuesReadAt);
  const persons = [human, ...meanwhile.map((each) => each.human)];
  // Undoing a run restores earlier values, which may belong to a different person.
  const isRight = life.isAtDesk || persons.some((each) => each.donorId === donorId);
  if (donorId != null && !isRight && !record.isApproved) {
    deps.violate('right profile', `contact ${id} is given the profile of another person`);
  }
  const isFilled = Object.values(values).some((value) => value !== null);
  const isBroughtBack = record.forgottenAt !== null && record.forgottenAt < life.bornAt;
  // A run in progress knows of it as soon as it reads the contact.
  const knownSince = life.isAtDesk ? life.bornAt : valuesReadAt;
  const { confirmedErasedAt } = record;
  const isConfirmed = confirmedErasedAt !== null && confirmedErasedAt < knownSince;
  if ((isBroughtBack || isConfirmed) && isFilled) {
    deps.violate('forgotten', `contact ${id} is written into after it was erased`);
  }
  const erased = life.isAtDesk ? null : erasedRow(record, Math.min(life.bornAt, valuesReadAt));
  if (isFilled && erased !== null) {
    deps.violate('forgotten', `contact ${id} is written into, and was erased as ${erased.id}`);
  }
  if (isFilled && !life.isAtDesk && knowsOptOut(deps, life, record)) {
    deps.violate('opt-out', `contact ${id} is written into after it has opted out`);
  }
  const { doNotContactAt } = record;
  if (isFilled && !life.isAtDesk && doNotContactAt !== null && doNotContactAt < valuesReadAt) {
    deps.violate('do not contact', `contact ${id} is written into, and wants no contact`);
  }
  for (const [field, value] of Object.entries(values)) {
    const cell = record.values.get(field);
    // A value that donor-sync wrote and that came with a copied row is never a user's value. The product replaces such
    // a value only if it belongs to a different donor.
    const isTyped = cell?.author === 'person' && cell.isCarried !== true;
    const isOwn = isTyped && cell.value !== null && cell.at < valuesReadAt;
    if (isOwn && PROTECTED.has(field) && cell.value !== value) {
      deps.violate('people win', `the ${field} that a person typed into ${id} is overwritten`);
    }
    // Undoing a run restores values that users typed.
    const author = value === TYPED ? 'person' : 'product';
    const made = hasAutomation ? automated(field, value, { keepsAuthors }) : {};
    record.values.set(field, { value, author, at: timeline.now(), by: life.name, ...made });
  }
  record.isUndone ||= life.isAtDesk;
  record.written = { by: life.name, at: timeline.now() };
  if (isFilled && !life.isAtDesk) record.filledAt.push(timeline.now());
  say(`process ${life.name}`, `writes ${Object.keys(values).length} fields of contact ${id}`);
  touch(record);
  return { status: 'written', id };
}

/**
 * Returns true if the process knows of the contact's opt-out. A process learns of an opt-out when it reads the record
 * before a write, or from an earlier page.
 */
function knowsOptOut({ isUndisturbed }: CrmDeps, { name }: Life, record: Record_): boolean {
  const { optedOutAt, valuesReadBy, valuesKnownBy, optOutKnownBy } = record;
  if (optedOutAt === null) return false;
  if (optedOutAt < (valuesReadBy.get(name) ?? 0)) return true;
  const shownAt = optOutKnownBy.get(name) ?? 0;
  return (
    isUndisturbed && optedOutAt < shownAt && shownAt + NOTING_MS < (valuesKnownBy.get(name) ?? 0)
  );
}
