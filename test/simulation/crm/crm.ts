/**
 * A CRM of the simulation behind the contract of connectors: people work in it while hosts read and write.
 * It checks by itself what no program may ever do to it.
 */
import { z } from 'zod';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ContactPage,
  RecordLookup,
  Refusal,
  RefusalCause,
  WriteResult,
} from '../../../connectors/contract.ts';
import { throwIfStopped } from '../../../connectors/stopped.ts';
import type { Contact } from '../../../src/core/contact.ts';
import type { CrmField, FieldValue, FieldValues } from '../../../src/core/crm-field.ts';
import { ConfigurationError, RetriableError } from '../../../src/core/errors.ts';
import type { FieldMapping } from '../../../src/core/field-map.ts';
import {
  addressText,
  type Details,
  employerText,
  firstNameOf,
  type Human,
} from '../people/humans.ts';
import type { Life } from '../processes/process.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';

/** From a page's arrival until what it says is on record. */
const NOTING_MS = 1_000;

/** A field of the CRM that the product fills. */
export const DONOR_ID = 'Donor ID';

export const MAPPINGS: readonly FieldMapping[] = [
  { from: 'donorId', to: DONOR_ID, when: 'unlessEdited' },
  { from: 'netWorth.label', to: 'Net Worth', when: 'unlessEdited' },
  { from: 'age', to: 'Age', when: 'ifEmpty' },
  { from: 'enhancedAt', to: 'Enhanced At', when: 'always' },
];

/** What people type into managed fields. */
export const TYPED = 'typed by a person';

/** The field that a flow changes after each write, and how. */
const AUTOMATED = 'Net Worth';
export const MARK = ' (by a flow)';

/** Fields in which a person's own value must stay. */
const PROTECTED: ReadonlySet<string> = new Set(
  MAPPINGS.filter(({ when }) => when !== 'always').map(({ to }) => to),
);

/** A name of a human being that a record was, and until when. */
interface Former {
  human: Human;
  firstName: string;
  until: number;
}

export interface Cell {
  value: FieldValue;
  author: 'person' | 'product';
  at: number;
  /** The process that wrote it; left out for a user's. */
  by?: string;
  /** True if a flow of the CRM has made it of what was written. */
  isAutomated?: boolean;
  /** True once a run that wrote it has come to its end as it should: it has read back what a flow made of it. */
  isRecorded?: boolean;
  /** True once the process that wrote it was told that a flow has made it. */
  isTold?: boolean;
  /** True if its record was gone or out of sight when it was read back, or was merged before: nothing tells then. */
  isUntold?: boolean;
}

/**
 * True of what a flow made of a value whose process never came to read it back, or found its record gone: no one can
 * tell it from a user's, to whom it belongs by the product's own rule.
 */
export function isAnyones({ isAutomated = false, isRecorded = false, isUntold }: Cell): boolean {
  return isAutomated && (isUntold === true || !isRecorded);
}

export interface Record_ {
  id: string;
  human: Human;
  /** How its first name is written, which tells it from other records of the human being. */
  firstName: string;
  details: Details;
  /** The human beings that it was before, the oldest first. */
  former: Former[];
  /** A user has said that the present name is the former person's new one, or that former values stay. */
  isSamePerson: boolean;
  /** All that it was before, the oldest first. */
  history: Details[];
  /** Until when it was each of those. */
  until: number[];
  optedOutAt: number | null;
  values: Map<string, Cell>;
  /** Fields that a user has typed into or emptied, here or in a record that became a part of it. */
  edited: Set<string>;
  /** True once `undo` has written into it, or has taken back a write of which nobody knows that it was refused. */
  isUndone: boolean;
  /** Processes whose values it has refused. */
  refusedTo: Set<Life>;
  /** True once a user has said no to something about it. */
  isRejected: boolean;
  /** When it opted out first; null if it never did. */
  firstOptOutAt: number | null;
  /** True while the integration's user cannot see it, without a tombstone. */
  isVanished: boolean;
  revision: number;
  changedAt: number;
  bornAt: number;
  /** With the details that the heir had then. */
  gone: { at: number; mergedInto: string | null; heirVersion: string | null } | null;
  /** When it left last, also if it is there again; null if it never did. */
  leftAt: number | null;
  /** When it left, or could not be seen, for the first time. */
  firstLeftAt: number | null;
  /** What was written into it last, by which process and when; certain once that life has ended well. */
  written: { by: string; at: number } | null;
  /** When runs have written values into it, each time. */
  filledAt: number[];
  /** When a profile was certainly written into it. */
  deliveredAt: number;
  /** When a person last asked for it to be submitted once more. */
  resubmittedAt: number;
  /** When a person last said that it is not one who was erased; null if none has. */
  distinguishedAt: number | null;
  /** True once a person has approved what did not fit it. */
  isApproved: boolean;
  /** As what it had been read when a person said that its changed details are no reason to pay. */
  rejectedChanges: Set<string>;
  /** The details of which a person has said that they are not asked for again after a lost answer; null if none. */
  rejectedLoss: string | null;
  /** When it was erased. */
  forgottenAt: number | null;
  /** When that was first asked for: it may be blocked and erased from then on, also where its process was killed. */
  erasureBegunAt: number | null;
  /** True once that was begun without clearing the CRM: what is ours there may not be known any more. */
  mayBeForgotten: boolean;
  /** True if that cleared the CRM as well. */
  isErasedInCrm: boolean;
  /** A person has said that it is one who was erased. */
  isConfirmedErased: boolean;
  /** A person has said so once, be it that this was cut off, and told it apart later. */
  wasCalledErased: boolean;
  /** When the product has taken note of that. */
  confirmedErasedAt: number | null;
  /** When each life of a process read it last. */
  readBy: Map<string, number>;
  /** As what it was read, by which process and when. */
  readAs: { version: string; by: string; at: number }[];
  /** When each of them last read what is in its fields: the pages of a search do not tell. */
  valuesReadBy: Map<string, number>;
  /** When the answer to that was there. */
  valuesKnownBy: Map<string, number>;
  /** When a page was there that showed it as opted out. */
  optOutKnownBy: Map<string, number>;
  /** When a search has told which life of a process that it left. */
  goneReads: { by: string; at: number }[];
}

export type Source = 'address' | 'employer';

export interface SimulatedCrm {
  readonly name: string;
  readonly records: ReadonlyMap<string, Record_>;
  readonly hidden: ReadonlySet<Source>;
  readonly groups: Map<string, Set<string>>;
  living(): Record_[];
  add(human: Human, details: Details): Record_;
  change(record: Record_, change: (record: Record_) => void): void;
  type(record: Record_, field: string, value: FieldValue): void;
  remove(record: Record_, mergedInto: string | null): void;
  /** It is another human being from now on. */
  become(record: Record_, human: Human, details: Details): void;
  /** The rule by which it refuses values; null for no rule. */
  rule: Rule | null;
  /** Fields that the integration's user may not write. */
  readonly locked: Set<string>;
  /** Fields that are too short for what comes. */
  readonly narrow: Set<string>;
  /** The integration's user does not see the record from now on, or sees it again. Nothing tells of that. */
  vanish(record: Record_): void;
  appear(record: Record_): void;
  /** A deleted record is there again. */
  putBack(record: Record_): void;
  hide(source: Source): void;
  show(source: Source): void;
  /** Who a contact is part of now, over all merges; null if it is gone. */
  heirOf(id: string): Record_ | null;
  /** The record, and those that it became a part of, one after the other. */
  lineOf(id: string): Record_[];
  connect(life: Life, signal: AbortSignal): Connector;
}

/** A validation rule: it looks at the fields that are written. */
export interface Rule {
  /** The field that it is about, and another one where it is about a pair. */
  fields: readonly [string, ...string[]];
  /** False if the CRM does not say which field it is about, and refuses the whole record. */
  isNamed: boolean;
  isRefused(value: FieldValue): boolean;
}

export interface CrmDeps {
  name: string;
  timeline: Timeline;
  random: Random;
  faultRate(): number;
  lagMs: number;
  slowMs: number;
  /** Contacts in a page of its search. */
  pageSize: number;
  /** True if nothing keeps a process from noting at once what it has read. */
  isUndisturbed: boolean;
  /** True if a flow changes a value after each write to it. */
  hasAutomation: boolean;
  /** True if a merge fills blank fields of the record that stays. */
  fillsBlanks: boolean;
  say(who: string, what: string): void;
  violate(invariant: string, what: string): void;
}

const CAPABILITIES: Capabilities = {
  incremental: true,
  reportsRemovals: true,
  createsFields: true,
  writesTogether: true,
  remote: true,
  groups: ['group'],
  readBatch: 100,
  writeBatch: { preferred: 10, bulk: null, max: 100 },
};

/** A record that changed, and the revision that it had when it was found. */
interface Change {
  record: Record_;
  at: number;
}

/** True of one whose erasure was begun, or whom a person has confirmed as erased, and of who has taken in such a contact. */
export function hasErased(crm: SimulatedCrm, record: Record_): boolean {
  if (record.erasureBegunAt !== null || record.isConfirmedErased) return true;
  return erasedIn(crm, record).length > 0;
}

/** The record, and those that have become a part of it, in chains as well. */
export function familyOf(crm: SimulatedCrm, record: Record_): Record_[] {
  return [...crm.records.values()].filter(
    (each) => each === record || (each.gone !== null && crm.lineOf(each.id).includes(record)),
  );
}

/** All human beings whose values may be ours in this record: that it is or was, or that is or was a part of it. */
export function humansIn(crm: SimulatedCrm, record: Record_): Set<Human> {
  const family = familyOf(crm, record);
  return new Set(family.flatMap(({ human, former }) => [human, ...former.map((one) => one.human)]));
}

/** Those among the contacts which have become a part of this one who were erased, or have taken in such a contact. */
export function erasedIn(crm: SimulatedCrm, { id }: Record_): Record_[] {
  const takenIn = [...crm.records.values()].filter(({ gone }) => gone?.mergedInto === id);
  return takenIn.filter((each) => hasErased(crm, each));
}

export function createSimulatedCrm(deps: CrmDeps): SimulatedCrm {
  const { timeline, random, name, say } = deps;
  const records = new Map<string, Record_>();
  const hidden = new Set<Source>();
  const groups = new Map<string, Set<string>>();
  const pageSize = deps.pageSize;
  let revision = 0;
  let lastId = 0;

  const crm: SimulatedCrm = {
    ...{ name, records, hidden, groups, rule: null, locked: new Set(), narrow: new Set() },
    living: () => [...records.values()].filter(({ gone }) => gone === null),
    add(human, details) {
      lastId += 1;
      const id = `${name}-${String(lastId).padStart(3, '0')}`;
      // Whoever was that human being once keeps the way in which it was written.
      const twins = [...records.values()].filter(
        (each) => each.human === human || each.former.some((one) => one.human === human),
      );
      const record: Record_ = {
        ...{
          id,
          human,
          firstName: firstNameOf(human, twins.length),
          details,
          former: [],
          isSamePerson: false,
          history: [],
          until: [],
          optedOutAt: null,
          values: new Map(),
          edited: new Set(),
          isUndone: false,
          refusedTo: new Set(),
          isRejected: false,
          firstOptOutAt: null,
          isVanished: false,
          revision: 0,
        },
        ...{
          changedAt: 0,
          bornAt: timeline.now(),
          gone: null,
          leftAt: null,
          firstLeftAt: null,
          readBy: new Map(),
          readAs: [],
          valuesReadBy: new Map(),
          valuesKnownBy: new Map(),
          optOutKnownBy: new Map(),
          goneReads: [],
          written: null,
          filledAt: [],
          deliveredAt: 0,
          resubmittedAt: 0,
          distinguishedAt: null,
          isApproved: false,
          rejectedChanges: new Set(),
          rejectedLoss: null,
          forgottenAt: null,
          erasureBegunAt: null,
          mayBeForgotten: false,
          isErasedInCrm: false,
          isConfirmedErased: false,
          wasCalledErased: false,
          confirmedErasedAt: null,
        },
      };
      records.set(id, record);
      touch(record);
      return record;
    },
    change(record, change) {
      const before = record.details;
      change(record);
      record.firstOptOutAt ??= record.optedOutAt;
      if (record.details !== before) {
        record.history.push(before);
        record.until.push(timeline.now());
      }
      touch(record);
    },
    type(record, field, value) {
      const at = timeline.now();
      record.values.set(field, { value, author: 'person', at });
      record.edited.add(field);
      touch(record);
    },
    remove(record, mergedInto) {
      const heir = mergedInto === null ? undefined : records.get(mergedInto);
      const heirVersion = heir === undefined ? null : versionOf(heir.details);
      if (deps.fillsBlanks && heir !== undefined) fillFrom(record, heir);
      record.gone = { at: timeline.now(), mergedInto, heirVersion };
      record.leftAt = record.gone.at;
      record.firstLeftAt ??= record.leftAt;
      touch(record);
      for (const members of groups.values()) {
        if (members.delete(record.id) && mergedInto !== null) members.add(mergedInto);
      }
    },
    become(record, human, details) {
      const { human: before, firstName } = record;
      record.former.push({ human: before, firstName, until: timeline.now() });
      record.human = human;
      record.firstName = firstNameOf(human, 0);
      record.isSamePerson = false;
      crm.change(record, (each) => {
        each.details = details;
      });
    },
    putBack(record) {
      record.gone = null;
      touch(record);
    },
    vanish(record) {
      record.isVanished = true;
      record.leftAt = timeline.now();
      record.firstLeftAt ??= record.leftAt;
    },
    appear(record) {
      record.isVanished = false;
      record.leftAt = timeline.now();
      // No incremental reading finds what is in sight again: it is found when somebody changes it.
      touch(record);
    },
    hide: (source) => hidden.add(source),
    show: (source) => hidden.delete(source),
    heirOf(id) {
      const last = crm.lineOf(id).at(-1);
      return last === undefined || last.gone !== null ? null : last;
    },
    lineOf(id) {
      const line: Record_[] = [];
      for (let next: string | null = id; next !== null; ) {
        const record = records.get(next);
        if (record === undefined) break;
        line.push(record);
        next = record.gone?.mergedInto ?? null;
      }
      return line;
    },
    connect: (life, signal) => connect(life, signal),
  };
  return crm;

  /** The values of the record that goes, where the one that stays has none. */
  function fillFrom(loser: Record_, heir: Record_): void {
    for (const [field, cell] of loser.values) {
      const own = heir.values.get(field)?.value ?? null;
      const isUntold = cell.isAutomated === true && cell.isTold !== true;
      const copy = isUntold ? { ...cell, isUntold } : { ...cell };
      if (own === null && cell.value !== null) heir.values.set(field, copy);
    }
    for (const field of loser.edited) heir.edited.add(field);
    touch(heir);
  }

  function touch(record: Record_): void {
    revision += 1;
    record.revision = revision;
    record.changedAt = timeline.now();
  }

  function connect(life: Life, signal: AbortSignal): Connector {
    return {
      kind: 'simulated',
      capabilities: CAPABILITIES,
      account: { id: `account-${name}`, name },
      identity: () => ({
        columns: 'all',
        mode: 'plain',
        sources: [
          { name: 'address', part: 'addresses', readable: !hidden.has('address') },
          { name: 'employer', part: 'employers', readable: !hidden.has('employer') },
        ],
      }),
      readPages,
      async readByIds(ids, fields) {
        const lookups = await call(life, signal, 'read', () =>
          ids.map((id) => lookUp(life, id, fields)),
        );
        for (const id of fields.length > 0 ? ids : []) {
          records.get(canonicalId(id) ?? id)?.valuesKnownBy.set(life.name, timeline.now());
        }
        return lookups;
      },
      async *write(changes) {
        const all: { id: string; values: FieldValues; together?: boolean }[] = [];
        for await (const change of changes) all.push(change);
        yield* await call(life, signal, 'write', () =>
          all.map(({ id, values, together }) => write(life, id, values, together)),
        );
      },
      readBack: (writes) =>
        call(life, signal, 'read back', () =>
          writes.map(({ id, fields }) => {
            const record = records.get(id);
            // Nothing but the process that wrote it can tell.
            const made = fields.flatMap((field) => {
              const cell = record?.values.get(field);
              return cell?.isAutomated === true && cell.by === life.name ? { field, cell } : [];
            });
            if (record === undefined || record.gone !== null || record.isVanished) {
              for (const { cell } of made) cell.isUntold = cell.isTold !== true;
              return { id, values: null, automated: [] };
            }
            const values = fields.map((field) => [field, record.values.get(field)?.value ?? null]);
            for (const { cell } of made) cell.isTold = true;
            const automated = made.map(({ field }) => field);
            return { id, values: Object.fromEntries(values), automated };
          }),
        ),
      describeFields: () => call(life, signal, 'describe', describeFields),
      createFields: async () => [],
      listGroups: async () => [],
      async *readGroup(selector) {
        const group = String(selector['group']);
        yield await call(life, signal, 'group', () => [...(groups.get(group) ?? [])]);
      },
      readLimits: async () => null,
      async finish() {},
      async close() {},
    };

    async function* readPages(cursor: string | null): AsyncGenerator<ContactPage> {
      const changes = await call(life, signal, 'search', () => changesAfter(Number(cursor ?? 0)));
      // What left comes first: with it no cursor may move past contacts that are still to come.
      for (let start = 0; start === 0 || start < changes.length; start += pageSize) {
        const ids = changes.slice(start, start + pageSize);
        if (ids.length === 0) return;
        const isFirst = start === 0;
        const page = await call(life, signal, 'page', () =>
          pageOf(life, ids, isFirst ? changes : []),
        );
        for (const { id } of page.removed) {
          records.get(id)?.goneReads.push({ by: life.name, at: timeline.now() });
        }
        for (const { id } of page.contacts.filter(({ optedOut }) => optedOut)) {
          records.get(id)?.optOutKnownBy.set(life.name, timeline.now());
        }
        yield page;
      }
    }
  }

  /** A request to the CRM: its way there, what it does, its way back. */
  async function call<T>(life: Life, signal: AbortSignal, what: string, work: () => T): Promise<T> {
    await life.point(`crm ${what}`);
    throwIfStopped(signal);
    const fault = random.chance(deps.faultRate()) ? random.pick(['before', 'after']) : null;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    timeline.after(random.magnitude(5, Math.max(300, deps.slowMs)), () => {
      if (fault === 'before') {
        say('the CRM', `fails at ${what} for process ${life.name}`);
        timeline.after(5, () => reject(unavailable()), life);
        return;
      }
      let result: T;
      try {
        result = work();
      } catch (error) {
        timeline.after(5, () => reject(error), life);
        return;
      }
      if (fault === 'after') say('the CRM', `does not answer at ${what} for process ${life.name}`);
      timeline.after(
        random.magnitude(5, Math.max(300, deps.slowMs)),
        () => (fault === 'after' ? reject(unavailable()) : resolve(result)),
        life,
      );
    });
    const result = await promise;
    await life.point(`crm ${what} answered`);
    return result;
  }

  /** With the revisions as they are now: what changes while the pages are read comes with a later one. */
  function changesAfter(cursor: number): Change[] {
    const visible = timeline.now() - deps.lagMs;
    const changed = [...records.values()]
      .filter((record) => record.revision > cursor && !record.isVanished)
      .sort((a, b) => a.revision - b.revision);
    const late = changed.findIndex(({ changedAt }) => changedAt > visible);
    const found = late < 0 ? changed : changed.slice(0, late);
    return found.map((record) => ({ record, at: record.revision }));
  }

  function pageOf(life: Life, page: readonly Change[], all: readonly Change[]): ContactPage {
    return {
      contacts: page.flatMap(({ record }) =>
        record.gone === null && !record.isVanished ? contactOf(life, record) : [],
      ),
      removed: all.flatMap(({ record: { id, gone } }) =>
        gone === null ? [] : { id, mergedInto: gone.mergedInto },
      ),
      cursor: String(page.at(-1)?.at ?? 0),
    };
  }

  function lookUp(life: Life, text: string, fields: readonly string[]): RecordLookup {
    const id = canonicalId(text) ?? text;
    const record = records.get(id);
    if (record === undefined || record.gone !== null) {
      return { state: 'removed', id: text, mergedInto: record?.gone?.mergedInto ?? null };
    }
    if (record.isVanished) return { state: 'missing', id: text };
    if (fields.length > 0) record.valuesReadBy.set(life.name, timeline.now());
    // Who died with the refusal has left a write that may have happened: a blank field may be what an undo made of it.
    const isUncertain = [...record.refusedTo].some(({ wasHurt }) => wasHurt);
    record.isUndone ||= life.isAtDesk && fields.length > 0 && isUncertain;
    const values = fields.map((field) => [field, record.values.get(field)?.value ?? null]);
    return {
      state: 'found',
      id: text,
      // As some CRMs do: the form that was asked for comes back.
      contact: { ...contactOf(life, record), id: text },
      values: Object.fromEntries(values),
    };
  }

  function contactOf(life: Life, record: Record_): Contact {
    const at = timeline.now();
    record.readBy.set(life.name, at);
    const { id, human, firstName, details, optedOutAt } = record;
    record.readAs.push({ version: versionOf(details), by: life.name, at });
    const contact: Contact = {
      id,
      firstName,
      lastName: human.last,
      addresses: hidden.has('address') ? [] : [addressText(details.address)],
      employers: hidden.has('employer') ? [] : [employerText(details.employer)],
      optedOut: optedOutAt !== null,
    };
    return hidden.size === 0 ? contact : { ...contact, unreadable: [...hidden] };
  }

  function write(life: Life, id: string, wanted: FieldValues, together = false): WriteResult {
    const record = records.get(id);
    const refusals = refusalsOf(wanted);
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
    const result = writeValues(life, id, Object.fromEntries(left));
    if (refusals.length === 0 || result.status !== 'written') return result;
    return { status: 'written_in_part', id, refusals };
  }

  /** What the CRM refuses of these values, by cause. */
  function refusalsOf(wanted: FieldValues): Refusal[] {
    const { rule, locked, narrow } = crm;
    const filled = Object.keys(wanted).filter((field) => (wanted[field] ?? null) !== null);
    const refusal = (code: string, cause: RefusalCause, fields: readonly string[]): Refusal => ({
      ...{ retriable: false, code, cause, message: 'The CRM refuses it.', fields },
    });
    const forbidden = Object.keys(wanted).filter((field) => locked.has(field));
    const tooLong = filled.filter((field) => narrow.has(field) && !forbidden.includes(field));
    const isRefused = rule?.isRefused(wanted[rule.fields[0]] ?? null) === true;
    const ofRule = isRefused && rule.fields.every((field) => Object.hasOwn(wanted, field));
    const blamed = (rule?.fields ?? []).filter(
      (field) => !forbidden.includes(field) && !tooLong.includes(field),
    );
    return [
      ...(ofRule && !rule.isNamed ? [refusal('rule', 'rule', [])] : []),
      ...(forbidden.length > 0 ? [refusal('forbidden', 'no_permission', forbidden)] : []),
      ...(tooLong.length > 0 ? [refusal('too_long', 'does_not_fit', tooLong)] : []),
      ...(ofRule && rule.isNamed && blamed.length > 0 ? [refusal('rule', 'rule', blamed)] : []),
    ];
  }

  function writeValues(life: Life, id: string, values: FieldValues): WriteResult {
    const record = records.get(id);
    if (record === undefined || record.gone !== null || record.isVanished) {
      const message = 'There is no such record.';
      return { status: 'refused', id, retriable: false, code: 'missing', message, fields: [] };
    }
    const valuesReadAt = record.valuesReadBy.get(life.name) ?? 0;
    const { human } = record;
    const donorId = values[DONOR_ID];
    const meanwhile = record.former.filter(({ until }) => until >= valuesReadAt);
    const persons = [human, ...meanwhile.map((each) => each.human)];
    // To undo a run brings back what there was before.
    const isRight = life.isAtDesk || persons.some((each) => each.donorId === donorId);
    if (donorId != null && !isRight && !record.isApproved) {
      deps.violate('right profile', `contact ${id} is given the profile of another person`);
    }
    const isFilled = Object.values(values).some((value) => value !== null);
    const isBroughtBack = record.forgottenAt !== null && record.forgottenAt < life.bornAt;
    // A run that goes on knows of it as soon as it reads the contact.
    const knownSince = life.isAtDesk ? life.bornAt : valuesReadAt;
    const { confirmedErasedAt } = record;
    const isConfirmed = confirmedErasedAt !== null && confirmedErasedAt < knownSince;
    if ((isBroughtBack || isConfirmed) && isFilled) {
      deps.violate('forgotten', `contact ${id} is written into after it was erased`);
    }
    if (isFilled && !life.isAtDesk && knowsOptOut(life, record)) {
      deps.violate('opt-out', `contact ${id} is written into after it has opted out`);
    }
    for (const [field, value] of Object.entries(values)) {
      const cell = record.values.get(field);
      const isOwn = cell?.author === 'person' && cell.value !== null && cell.at < valuesReadAt;
      if (isOwn && PROTECTED.has(field) && cell.value !== value) {
        deps.violate('people win', `the ${field} that a person typed into ${id} is overwritten`);
      }
      // Undoing a run brings back what people had typed.
      const author = value === TYPED ? 'person' : 'product';
      const made = automated(field, value);
      record.values.set(field, { value, author, at: timeline.now(), by: life.name, ...made });
    }
    record.isUndone ||= life.isAtDesk;
    record.written = { by: life.name, at: timeline.now() };
    if (isFilled && !life.isAtDesk) record.filledAt.push(timeline.now());
    say(`process ${life.name}`, `writes ${Object.keys(values).length} fields of contact ${id}`);
    touch(record);
    return { status: 'written', id };
  }

  /** A flow that writes a text with a mark behind it. */
  function automated(field: string, value: FieldValue): Partial<Cell> {
    if (!deps.hasAutomation || field !== AUTOMATED || value === null || value === TYPED) return {};
    return String(value).endsWith(MARK)
      ? { isAutomated: true }
      : { value: `${value}${MARK}`, isAutomated: true };
  }

  /** By what it reads for a write, or by a page that was there before the answer to that. */
  function knowsOptOut({ name }: Life, record: Record_): boolean {
    const { optedOutAt, valuesReadBy, valuesKnownBy, optOutKnownBy } = record;
    if (optedOutAt === null) return false;
    if (optedOutAt < (valuesReadBy.get(name) ?? 0)) return true;
    const shownAt = optOutKnownBy.get(name) ?? 0;
    return (
      deps.isUndisturbed &&
      optedOutAt < shownAt &&
      shownAt + NOTING_MS < (valuesKnownBy.get(name) ?? 0)
    );
  }

  function describeFields(): CrmField[] {
    return MAPPINGS.map(({ from, to }) => ({
      ...{ name: to, label: to, type: from === 'age' ? 'integer' : 'text' },
      ...{ maxLength: null, integerDigits: null, decimalDigits: null },
      ...{ options: [], restricted: false, writable: !crm.locked.has(to) },
      ...(crm.narrow.has(to) ? (from === 'age' ? { integerDigits: 1 } : { maxLength: 3 }) : {}),
    }));
  }
}

/** Equal for the same details, however they are spelled. */
export function versionOf({ address, employer }: Details): string {
  return `${address.number}/${employer.number}`;
}

/** Ids are written in small letters; people and programs type them as they like. */
export function canonicalId(text: string): string | null {
  const id = text.trim().toLowerCase();
  return /^[a-z]+-\d{3}$/.test(id) ? id : null;
}

const SETTINGS = z.looseObject({ name: z.string() });
const GROUP = z.strictObject({ group: z.string() });

/** The kind of connector that leads to the CRMs of a night; `lifeOf` is the process that asks. */
export function simulatedConnector(
  crms: ReadonlyMap<string, SimulatedCrm>,
  life: Life,
): ConnectorDefinition {
  return {
    kind: 'simulated',
    settingsSchema: SETTINGS,
    groupSchema: GROUP,
    defaultFields: MAPPINGS,
    canonicalId,
    otherForms: (id) => [id.toUpperCase()],
    async open({ settings, deps: { signal } }) {
      const crm = crms.get(String(Reflect.get(Object(settings), 'name')));
      if (crm === undefined) throw new ConfigurationError('no such CRM', { code: 'crm_missing' });
      return crm.connect(life, signal);
    },
    check: async () => [],
  };
}

function unavailable(): RetriableError {
  return new RetriableError('The CRM does not answer.', { code: 'crm_unavailable' });
}
