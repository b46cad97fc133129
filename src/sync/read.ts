/** The first station. This station reads contacts from the CRM and stores a decision for each contact. */

import type { ContactPage } from '../../connectors/contract.ts';
import { findIntegrationState, resetCursor } from '../clients/statements/integrations.ts';
import {
  findContacts,
  listPresentContactIds,
  listRemovedContactIds,
  listUnreadContacts,
} from '../contacts/contacts.ts';
import { recordDecidedPage } from '../contacts/decided-pages.ts';
import { listMissing, listUnseen, markUnseen } from '../contacts/many-at-once/missing.ts';
import { listOptOutsToDelete } from '../contacts/many-at-once/opt-outs.ts';
import { receivesNothing } from '../contacts/receives-nothing.ts';
import type { Contact } from '../core/contact.ts';
import { RetriableError } from '../core/errors.ts';
import { currenciesText } from '../core/money.ts';
import { listMarkedForErasure } from '../decisions/statements/erasure-requests.ts';
import { recordCurrencies } from '../fields/statements/currencies.ts';
import type { ReadIdentity } from '../identity/identity-reader.ts';
import { isMoneyLine } from '../mapping/amount.ts';
import { findField } from '../mapping/map-profile.ts';
import { recordSeenErased } from '../privacy/statements/mentions.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { departures, forgottenFingerprint, looksErased, refreshErased } from './control/erased.ts';
import { lookUp } from './control/look-up.ts';
import { KEPT_AFTER_OPT_OUT_DAYS } from './guards/opt-outs.ts';
import { recordPrivacyRequests } from './guards/privacy-requests.ts';
import { decideContact, getRefusal, type PlannedContact, type PlanRules } from './plan.ts';

type ReadDeps = Pick<SyncDeps, 'store' | 'connector' | 'clock' | 'log' | 'newId'>;

/**
 * Reads the changes in the CRM and decides what happens to each contact. After each page, the watermark moves past the
 * page. `afterAll` runs before the station is finished, so that contacts that it makes ready are still delivered.
 */
export async function readContacts(
  deps: ReadDeps,
  run: Run,
  afterAll: () => Promise<void> = async () => {},
): Promise<void> {
  if (run.control.stopping.aborted) return;
  const pages = run.only === null ? changedPages(deps, run) : namedPages(deps, run, run.only);
  const marked = await listMarkedForErasure(deps.store.reader, run.integration.id);
  for await (const page of pages) {
    await recordPage(deps, run, page);
    await recordPrivacyRequests(deps, run, page, marked);
    run.control.notify();
    if (run.control.stopping.aborted) return;
  }
  await afterAll();
  run.control.finish('read');
}

/**
 * The maximum number of times that a run prepares a page again because users decide about erased people at the same
 * time.
 */
const MOST_PREPARATIONS = 100;

async function recordPage(deps: ReadDeps, run: Run, page: ContactPage): Promise<void> {
  await recordPageCurrencies(deps, run, page);
  const erased = [...page.contacts, ...page.removed].flatMap(
    ({ id }) => forgottenFingerprint(deps, run, id) ?? [],
  );
  // If the CRM shows erased contacts again, donor-sync can clear text about other erased people in them. The erased
  // contacts are recorded before the page is stored. If the run is killed in between, the page is read again.
  if (erased.length > 0)
    await deps.store.checkpoint(run.lease, (trx) => recordSeenErased(trx, erased, 'left'));
  for (let times = 0; times < MOST_PREPARATIONS; times += 1) {
    // Loads the departures before the contacts, because they show which contacts an erased contact was merged into.
    const removed = departures(deps, run, page.removed, deps.clock.now());
    const contacts = page.contacts.map((contact) => plannedContact(deps, run, contact));
    const isAnyoneAlike =
      contacts.some((contact) => contact.looksErased === true) ||
      removed.some(({ mergedInto }) => mergedInto !== null);
    const marks = run.erased?.marks;
    const blocked = page.contacts.flatMap(({ id }) =>
      forgottenFingerprint(deps, run, id) === null ? [] : id,
    );
    const decided = {
      runId: run.id,
      contacts,
      removed,
      cursor: getWatermark(page, run),
      missing: page.missing ?? [],
      blocked,
      ...(marks === undefined ? {} : { erased: { marks, isAnyoneAlike } }),
    };
    const isRecorded = await deps.store.checkpoint(run.lease, (trx) =>
      recordDecidedPage(trx, decided, (contact, row, answered) => {
        if (row?.state === 'ready') recordRefusal(deps, run, contact);
        return decideContact(contact, row, planRules(deps, run), answered);
      }),
    );
    if (isRecorded) return;
    await refreshErased(deps, run);
  }
  throw new RetriableError(
    'Decisions about erased people kept changing while donor-sync read the contacts.',
    {
      code: 'decisions_do_not_end',
    },
  );
}

async function recordPageCurrencies(
  { store }: ReadDeps,
  run: Run,
  page: ContactPage,
): Promise<void> {
  const contacts = page.contacts.flatMap(({ id: crmId, currencies }) => {
    const currency = currenciesText(currencies);
    return currency === null ? [] : [{ crmId, currency }];
  });
  if (contacts.length === 0) return;
  await store.checkpoint(run.lease, (trx) => recordCurrencies(trx, contacts, listMoneyFields(run)));
}

/**
 * Records why the run must not submit a contact. A delivery may have read the contact earlier and may still wait for
 * the CRM's response.
 */
function recordRefusal(
  { clock }: ReadDeps,
  { refused }: Pick<Run, 'refused'>,
  { crmId, refusal }: PlannedContact,
): void {
  if (refusal === null) refused?.delete(crmId);
  else refused?.set(crmId, { reason: refusal, atMs: clock.monotonicMs() });
}

/** Returns the watermark after a page. A run with a limit reads only some contacts, so its watermark does not move. */
function getWatermark({ cursor }: ContactPage, { limit }: Run): string | null {
  return limit === null ? cursor : null;
}

/** Returns the parts of a contact that the decision needs. Leaves out names and addresses. */
export function plannedContact(
  deps: Pick<SyncDeps, 'store'>,
  run: Pick<Run, 'forgotten' | 'erased' | 'identities'>,
  contact: Contact,
): PlannedContact {
  const fingerprint = forgottenFingerprint(deps, run, contact.id);
  // The run counts an erased contact like any other contact, but must not store its identity again.
  if (fingerprint !== null)
    return { crmId: fingerprint, identity: NO_IDENTITY, refusal: 'forgotten', optedOut: false };
  return {
    crmId: contact.id,
    identity: run.identities.read(contact),
    refusal: getRefusal(contact),
    optedOut: contact.optedOut,
    currency: currenciesText(contact.currencies),
    objects: contact.objects === true,
    looksErased: looksErased(deps, run, contact),
  };
}

/** The identity that is stored for an erased person. */
const NO_IDENTITY: ReadIdentity = {
  lost: [],
  text: () => '',
  compareWith: () => ({ changed: [], text: '' }),
};

/** Returns the rules for deciding about contacts at the current time. */
export function planRules(
  { clock }: Pick<SyncDeps, 'clock'>,
  { integration, groupMembers }: Pick<Run, 'integration' | 'groupMembers'>,
): PlanRules {
  return { refresh: integration.refresh, now: clock.now(), groupMembers };
}

async function* changedPages(deps: ReadDeps, run: Run): AsyncGenerator<ContactPage> {
  const { store, connector, log } = deps;
  const { start, scope, isNewScope, cursor, formerCursor } = await startOfReading(deps, run);
  if ((isNewScope || run.full) && run.limit === null)
    await store.checkpoint(run.lease, (trx) => resetCursor(trx, scope, run.id));
  log.info({ integration: run.integration.id, run: run.id, full: start === null }, 'reading');
  const known =
    start !== null || formerCursor === null
      ? undefined
      : {
          cursor: formerCursor,
          isSameSelection: cursor !== null && !isNewScope,
          ids: () => listPresentContactIds(store.reader, run.integration.id),
          leftIds: () => listRemovedContactIds(store.reader, run.integration.id),
        };
  // While the contacts' responses were lost or their jobs were running, someone may have changed the contacts. The CRM
  // does not report these changes again.
  if (start !== null)
    yield* namedPages(deps, run, await listUnreadContacts(store.reader, run.integration.id));
  yield* pagesOfMarked(deps, run, start);
  let isEmpty = true;
  for await (const page of connector.readPages(start, known)) {
    if (page.contacts.length > 0) isEmpty = false;
    yield page;
  }
  if (start === null && !connector.capabilities.reportsRemovals) {
    run.readAll = { isEmpty };
    await store.checkpoint(run.lease, (trx) => markUnseen(trx, run.id));
  } else {
    if (start === null && formerCursor === null && run.limit === null)
      yield* pagesOfUnseen(deps, run);
    yield* pagesOfMissing(deps, run);
  }
}

/**
 * Yields contacts that left the CRM before the first complete reading. A trial or a run for a single contact has read
 * them. At that time, there was no cursor, so the CRM could not report their removal.
 */
async function* pagesOfUnseen(deps: ReadDeps, run: Run): AsyncGenerator<ContactPage> {
  for await (const ids of listUnseen(deps.store.reader, run.integration.id, run.id)) {
    for await (const page of namedPages(deps, run, ids)) yield { ...page, contacts: [] };
  }
}

/**
 * Yields known contacts that have opted out or object to research. Ordinary reading may not return them, for example
 * because the filter excludes them. The marked contacts come before the first page, so that the watermark does not move
 * past them. Before donor-sync deletes a profile because of a mark, it reads the mark again. Without this reading,
 * donor-sync would not notice that someone has corrected the mark.
 */
async function* pagesOfMarked(
  deps: ReadDeps,
  run: Run,
  start: string | null,
): AsyncGenerator<ContactPage> {
  const { store, connector } = deps;
  const { id } = run.integration;
  if (connector.findMarked === undefined) return;
  for await (const ids of connector.findMarked(start)) {
    const known = await findContacts(store.reader, id, ids);
    const present = [...known.values()].filter(({ state }) => state !== 'removed');
    const wasMarked = new Set(
      present.flatMap((row) => (row.hasOptedOut !== 0 || receivesNothing(row) ? row.crmId : [])),
    );
    yield* onlyFound(
      namedPages(
        deps,
        run,
        present.map(({ crmId }) => crmId),
      ),
      (contact) => isMarked(contact) || wasMarked.has(contact.id),
    );
  }
  const dueBefore = deps.clock.now() - LOOKED_AT_AGAIN_MS;
  const due = await listOptOutsToDelete(store.reader, id, dueBefore);
  yield* onlyFound(namedPages(deps, run, due), () => true);
}

/**
 * One day less than the time after which a profile is deleted because of a mark. Therefore, the nightly run before the
 * deletion reads the mark again.
 */
const LOOKED_AT_AGAIN_MS = (KEPT_AFTER_OPT_OUT_DAYS - 1) * 86_400_000;

function isMarked({ optedOut, objects = false, privacy, excluded = null }: Contact): boolean {
  return optedOut || objects || privacy !== undefined || excluded !== null;
}

/**
 * Yields pages without missing and removed contacts. Only a complete reading can show which contacts are missing or
 * removed.
 */
async function* onlyFound(
  pages: AsyncIterable<ContactPage>,
  matters: (contact: Contact) => boolean,
): AsyncGenerator<ContactPage> {
  for await (const { contacts } of pages) {
    yield { contacts: contacts.filter(matters), removed: [], cursor: null };
  }
}

const LOOKED_UP_AGAIN = 1_000;

/**
 * If only a few contacts are missing, donor-sync treats them as removed immediately. For this time, each run checks
 * whether the contacts have returned.
 */
const REMOVED_LOOKED_UP_MS = 30 * 86_400_000;

/**
 * Reads missing contacts again by ID. Restored access does not change any record, so a reading of changes does not
 * return these contacts. If the first contacts are all still missing, access is still lost, and the next run checks the
 * other contacts.
 */
async function* pagesOfMissing(deps: ReadDeps, run: Run): AsyncGenerator<ContactPage> {
  let ids: string[] = [];
  const { store, clock } = deps;
  const removedSince = clock.now() - REMOVED_LOOKED_UP_MS;
  for await (const some of listMissing(store.reader, run.integration.id, {
    removedSince,
  })) {
    ids.push(...some);
    if (ids.length < LOOKED_UP_AGAIN) continue;
    let isAnyBack = false;
    for await (const page of namedPages(deps, run, ids)) {
      isAnyBack ||= page.contacts.length > 0 || page.removed.length > 0;
      yield page;
    }
    if (!isAnyBack) return;
    ids = [];
  }
  yield* namedPages(deps, run, ids);
}

type Reading = Pick<Run, 'integration' | 'full' | 'only'> &
  Partial<Pick<Run, 'fields' | 'mappings' | 'ignored' | 'named'>>;

/** Returns the pages that a run would read now. Reading them changes nothing. */
export async function pagesToRead(
  deps: ReadDeps,
  run: Reading,
): Promise<AsyncIterable<ContactPage>> {
  if (run.only !== null) return namedPages(deps, run, run.only);
  return deps.connector.readPages((await startOfReading(deps, run)).start);
}

/**
 * True if a run would read the whole list of a CRM that does not report removals. Contacts that the list no longer
 * contains are then missing.
 */
export async function readsWholeList(deps: ReadDeps, run: Reading): Promise<boolean> {
  if (run.only !== null || deps.connector.capabilities.reportsRemovals) return false;
  return (await startOfReading(deps, run)).start === null;
}

/**
 * Returns the position at which reading starts. This is the watermark. If the watermark is no longer valid, reading
 * starts at the beginning.
 */
async function startOfReading({ store, connector }: ReadDeps, run: Reading) {
  const { cursor, cursorScope, cursorBefore } = await findIntegrationState(
    store.reader,
    run.integration.id,
  );
  const { crm } = run.integration;
  const { objections, ...contacts } = run.integration.contacts;
  // A different filter, opt-out field or list of objections selects different contacts. Contacts must also be read
  // again when donor-sync reads a currency for the first time.
  const money = listMoneyFields(run).length > 0 ? [{ reads: 'currencies' }] : [];
  const set = [contacts, crm.kind, ...(objections.length > 0 ? [objections] : []), ...money];
  const scope = store.fingerprint('cursor_scope', JSON.stringify(set));
  const isNewScope = cursorScope !== scope;
  const anew = run.full || isNewScope || !connector.capabilities.incremental;
  return {
    start: anew ? null : cursor,
    scope,
    isNewScope,
    cursor,
    // If a complete reading was interrupted before its first cursor, the watermark from before this reading is still
    // valid.
    formerCursor: cursor ?? cursorBefore,
  };
}

/** Returns the mapped fields whose amounts depend on the contact's currency. */
function listMoneyFields({
  fields = [],
  mappings = [],
}: Partial<Pick<Run, 'fields' | 'mappings'>>) {
  return mappings.flatMap(({ from, to }) => {
    const field = findField(fields, to);
    return isMoneyLine(from, field) && field?.money?.from != null ? to : [];
  });
}

/** Reads contacts by ID, because a search index may not contain the latest changes yet. */
async function* namedPages(
  { connector }: ReadDeps,
  { ignored, named }: Partial<Pick<Run, 'ignored' | 'named'>>,
  only: readonly string[],
): AsyncGenerator<ContactPage> {
  const ids = only.filter((id) => ignored?.has(id) !== true);
  if (ids.length === 0) return;
  for (const id of ids) named?.add(id);
  const lookups = await lookUp(connector, ids);
  yield {
    contacts: lookups.flatMap((each) => (each.state === 'found' ? [each.contact] : [])),
    removed: lookups.flatMap((each) =>
      each.state === 'removed' ? [{ id: each.id, mergedInto: each.mergedInto }] : [],
    ),
    missing: lookups.flatMap((each) => (each.state === 'missing' ? each.id : [])),
    cursor: null,
  };
}
