/**
 * Workflows that change a property after a client has written it. HubSpot runs the workflows shortly after the write.
 */

import { z } from 'zod';
import { findObjectType, type ObjectType } from '../core/object-type.ts';
import type { Properties } from '../properties/properties.ts';
import {
  type Author,
  authorSchema,
  type RecordChange,
  type RecordStore,
} from '../records/record-store.ts';

export const automationSchema = z.strictObject({
  /** The name under which the workflow can be removed. */
  name: z.string().optional(),
  type: z.string().default('contacts'),
  /** The property that the workflow changes. */
  property: z.string(),
  change: z.discriminatedUnion('kind', [
    /** Rounds a number to a multiple. */
    z.strictObject({ kind: z.literal('round'), to: z.number().positive().default(1) }),
    z.strictObject({ kind: z.literal('upperCase') }),
    z.strictObject({ kind: z.literal('clear') }),
    z.strictObject({ kind: z.literal('set'), value: z.string() }),
  ]),
  /** Defines whether the workflow starts when its property changes or when any property of the record changes. */
  runsOn: z.enum(['property', 'record']).default('property'),
  /** A condition that the record must meet. A workflow without a condition runs for every record. */
  when: z.strictObject({ property: z.string(), equals: z.string() }).optional(),
  /**
   * The time (ms) between the write and the workflow. By this time, the client has received the response to its write.
   */
  delayMs: z.number().int().min(0).default(0),
  /** The source that the property's history shows. */
  source: authorSchema.shape.source.default('AUTOMATION_PLATFORM'),
  sourceId: z.string().default('enrollmentId:1;actionExecutionIndex:0'),
});

export type Workflow = z.output<typeof automationSchema>;

export interface Automation {
  /** Adds a workflow. Throws if the workflow names a property that does not exist. */
  add(workflow: Workflow): void;
  /** Removes a workflow. Returns false if no workflow has the name. */
  remove(name: string): boolean;
  clear(): void;
  list(): readonly Workflow[];
  runDue(): void;
}

/** The parts of an account that workflows need. */
export interface AutomationAccount {
  properties: Properties;
  store: RecordStore;
  clock: () => number;
}

interface Enrolment {
  workflow: Workflow;
  type: ObjectType;
  id: string;
  dueAtMs: number;
}

/** Creates the automation without workflows. The automation then receives all changes of records. */
export function createAutomation({ properties, store, clock }: AutomationAccount): Automation {
  let workflows: Workflow[] = [];
  let enrolments: Enrolment[] = [];
  let isRunning = false;

  function enrol(change: RecordChange): void {
    if (isRunning || (change.kind !== 'updated' && change.kind !== 'created')) return;
    for (const workflow of workflows) {
      if (findObjectType(workflow.type) !== change.type) continue;
      if (workflow.runsOn === 'property' && !Object.hasOwn(change.changed, workflow.property)) {
        continue;
      }
      const { type, id } = change;
      enrolments.push({ workflow, type, id, dueAtMs: clock() + workflow.delayMs });
    }
    // Other listeners must receive the change before they receive the changes by workflows.
    if (enrolments.length > 0) queueMicrotask(runDue);
  }

  function runDue(): void {
    if (isRunning || enrolments.length === 0) return;
    const nowMs = clock();
    const due = enrolments.filter(({ dueAtMs }) => dueAtMs <= nowMs);
    enrolments = enrolments.filter(({ dueAtMs }) => dueAtMs > nowMs);
    isRunning = true;
    try {
      for (const enrolment of due) run(enrolment);
    } finally {
      isRunning = false;
    }
  }

  function run({ workflow, type, id }: Enrolment): void {
    const record = store.read(type, id);
    if (record === undefined || record.archivedAtMs !== null) return;
    const { property, change, when, source, sourceId } = workflow;
    if (when !== undefined && (record.values[when.property] ?? '') !== when.equals) return;
    const author: Author = { source, sourceId };
    const value = changedValue(change, record.values[property] ?? '');
    store.update(type, record, { [property]: value }, author);
  }

  store.onChange(enrol);
  return {
    add(workflow) {
      const type = findObjectType(workflow.type);
      const property = properties.find(type, workflow.property);
      if (property === undefined || property.archivedAtMs !== null) {
        throw new RangeError(`${type.name} have no property ${workflow.property}.`);
      }
      if (workflow.change.kind === 'round' && property.type !== 'number') {
        throw new RangeError(`${workflow.property} is not a number.`);
      }
      workflows.push(workflow);
    },
    remove(name) {
      const kept = workflows.filter((workflow) => workflow.name !== name);
      const isFound = kept.length < workflows.length;
      workflows = kept;
      return isFound;
    },
    clear() {
      workflows = [];
    },
    list: () => workflows,
    runDue,
  };
}

function changedValue(change: Workflow['change'], value: string): string {
  switch (change.kind) {
    case 'clear':
      return '';
    case 'set':
      return change.value;
    case 'upperCase':
      return value.toUpperCase();
    case 'round':
      return value === '' ? '' : `${Math.round(Number(value) / change.to) * change.to}`;
  }
}
