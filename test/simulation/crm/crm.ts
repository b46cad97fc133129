/** A simulated CRM: its records, and what users do in it while hosts read and write. */
import type { Connector } from '../../../connectors/contract.ts';
import type { FieldValue } from '../../../src/core/crm-field.ts';
import { type Details, firstNameOf, type Human } from '../people/humans.ts';
import type { Life } from '../processes/process.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import { connect } from './connector.ts';
import { DONOR_ID } from './fields.ts';
import { type Cell, heritageOf, loseOwner, newRecord, type Record_, versionOf } from './record.ts';
import type { Rule } from './refusals.ts';

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
  /** Makes the record belong to a different person. */
  become(record: Record_, human: Human, details: Details): void;
  /** The rule because of which the CRM refuses values, or null. */
  rule: Rule | null;
  /** Fields that donor-sync's CRM user cannot write. */
  readonly locked: Set<string>;
  /** Fields that are too short for their values. */
  readonly narrow: Set<string>;
  /** Hides the record from the client's CRM user. The CRM does not report this. */
  vanish(record: Record_): void;
  appear(record: Record_): void;
  /** Restores a deleted record. */
  putBack(record: Record_): void;
  /**
   * Gives the row a different ID in the list. The new row has all values that users see. The new row has donor-sync's
   * values only if `keepsValues` is true.
   */
  renumber(record: Record_, keepsValues: boolean): Record_;
  /**
   * Gives the row its former ID in the list again. Returns null if the row had no former ID, or if the former ID was
   * erased. `wasSeenGone` returns true if the product has noticed that the former ID had left the list.
   */
  numberBack(
    record: Record_,
    keepsValues: boolean,
    wasSeenGone: (former: Record_) => boolean,
  ): Record_ | null;
  hide(source: Source): void;
  show(source: Source): void;
  /** Returns the record that remains after all merges of this record, or null if it does not exist. */
  heirOf(id: string): Record_ | null;
  /** Returns the record and all records into which it was merged, in order. */
  lineOf(id: string): Record_[];
  connect(life: Life, signal: AbortSignal): Connector;
}

export interface CrmDeps {
  name: string;
  timeline: Timeline;
  random: Random;
  faultRate(): number;
  lagMs: number;
  slowMs: number;
  /** The number of contacts on a search page. */
  pageSize: number;
  /** True if a process can immediately record the values that it has read from the CRM. */
  isUndisturbed: boolean;
  /** True if a flow of the CRM changes each value after donor-sync has written the value. */
  hasAutomation: boolean;
  /**
   * True if the CRM stores the author of each value. The CRM's flow then runs late, so the process that wrote a value
   * reads the value before the flow changes it.
   */
  keepsAuthors: boolean;
  /** True if the CRM is a list. Each reading of the list is then complete, and a contact that left is only absent. */
  isList: boolean;
  /** The number of first contacts that the settings list as objecting to research. */
  objectors: number;
  /** True if a merge of two records fills blank fields of the remaining record. */
  fillsBlanks: boolean;
  say(who: string, what: string): void;
  violate(invariant: string, what: string): void;
}

/** A CRM as its connector and its users access it. */
export interface Inside {
  crm: SimulatedCrm;
  deps: CrmDeps;
  /** Marks the record as changed, so that a search finds it. */
  touch(record: Record_): void;
}

/** Returns the ID of the CRM's record with this number. */
export function idOf(name: string, number: number): string {
  return `${name}-${String(number).padStart(3, '0')}`;
}

export function createSimulatedCrm(deps: CrmDeps): SimulatedCrm {
  const { timeline, name } = deps;
  const records = new Map<string, Record_>();
  const hidden = new Set<Source>();
  const groups = new Map<string, Set<string>>();
  let revision = 0;
  let lastId = 0;

  const crm: SimulatedCrm = {
    ...{ name, records, hidden, groups, rule: null, locked: new Set(), narrow: new Set() },
    living: () => [...records.values()].filter(({ gone }) => gone === null),
    add(human, details) {
      lastId += 1;
      const id = idOf(name, lastId);
      // Records that have belonged to the same person and have the same spelling of the name.
      const twins = [...records.values()].filter(
        (each) => each.human === human || each.former.some((one) => one.human === human),
      );
      const firstName = firstNameOf(human, twins.length);
      const record = newRecord({ id, human, firstName, details }, timeline.now());
      if (lastId <= deps.objectors) {
        record.isObjecting = true;
        record.optedOutAt = timeline.now();
        record.firstOptOutAt = timeline.now();
      }
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
      loseUnrecognisable(record);
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
      loseUnrecognisable(record);
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
      // An incremental reading does not return a record only because the record is visible again. The reading returns
      // the record only after someone changes it.
      touch(record);
    },
    renumber(record, keepsValues) {
      lastId += 1;
      const id = idOf(name, lastId);
      const { human, firstName, details } = record;
      const next = newRecord({ id, human, firstName, details }, timeline.now());
      records.set(id, next);
      continueAs(record, next, keepsValues);
      return next;
    },
    numberBack(record, keepsValues, wasSeenGone) {
      const [former] = record.formerRows;
      if (former === undefined || former.gone?.mergedInto !== record.id) return null;
      if (former.erasureBegunAt !== null || former.isConfirmedErased) return null;
      if (former.human !== record.human || former.firstName !== record.firstName) return null;
      former.gone = null;
      former.leftAt = timeline.now();
      crm.change(former, (each) => {
        each.details = record.details;
      });
      const before = former.values;
      continueAs(record, former, keepsValues);
      // The row has come back without its values, so the product must write all values again.
      if (!keepsValues && wasSeenGone(former)) return former;
      for (const [field, own] of before) {
        // The row stayed in the list but has lost its values. The product assumes that users have cleared the fields.
        if (!keepsValues) crm.type(former, field, null);
        // The product recognises the values that it wrote into this row.
        else if (former.values.get(field)?.value === own.value) former.values.set(field, own);
      }
      return former;
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
    connect: (life, signal) => connect({ crm, deps, touch }, life, signal),
  };
  return crm;

  /**
   * Makes `next` the person's row in the list. Users' answers about the person's former row also apply to the new row.
   */
  function continueAs(record: Record_, next: Record_, keepsValues: boolean): void {
    const at = timeline.now();
    Object.assign(next, heritageOf(record));
    next.formerRows = [record, ...record.formerRows.filter((each) => each !== next)];
    next.values = new Map(
      keepsValues ? [...record.values].map(([to, cell]) => [to, copyOf(cell)]) : [],
    );
    record.gone = { at, mergedInto: next.id, heirVersion: versionOf(next.details) };
    record.leftAt = at;
    record.firstLeftAt ??= at;
    for (const members of groups.values()) if (members.delete(record.id)) members.add(next.id);
    touch(next);
  }

  /**
   * Makes the values of a row with a new ID a user's values if the product can no longer recognise them. A user has
   * given the row to a different person and has changed its donor ID, and no process has read the row before
   * (docs/reliability.md, limits).
   */
  function loseUnrecognisable(record: Record_): void {
    const { formerRows, former, readAs, edited } = record;
    if (formerRows.length === 0 || former.length === 0 || readAs.length > 0) return;
    if (edited.has(DONOR_ID)) loseOwner(record);
  }

  /**
   * Returns a copy of the value for a different record. Removes its history. If a flow has made the value and the
   * product has not read it, nothing shows the product that the copy comes from its own value.
   */
  function copyOf({ madeFrom: _, ...cell }: Cell): Cell {
    const isUntold = cell.isAutomated === true && cell.isTold !== true;
    return isUntold ? { ...cell, isUntold } : cell;
  }

  /** Copies the merged record's values into blank fields of the remaining record. */
  function fillFrom(loser: Record_, heir: Record_): void {
    for (const [field, cell] of loser.values) {
      const own = heir.values.get(field)?.value ?? null;
      if (own === null && cell.value !== null) heir.values.set(field, copyOf(cell));
    }
    for (const field of loser.edited) heir.edited.add(field);
    touch(heir);
  }

  function touch(record: Record_): void {
    revision += 1;
    record.revision = revision;
    record.changedAt = timeline.now();
  }
}
