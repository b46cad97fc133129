/**
 * Compares the processor time and the memory of the connectors in two versions of the program, which use one stand-in
 * in turn.
 */

import { type ConnectorStep, type Crm, type CrmKind, withCrm } from '../crm.ts';
import {
  atMost,
  exactly,
  type Figure,
  median,
  plain,
  round,
  type Scenario,
  type Wanted,
} from '../figure.ts';

export const connectorsBeside: Scenario = {
  name: 'connectors-beside',
  title:
    '100,000 contacts read and written in turns by these connectors and the connectors in --beside FOLDER',
  measure: async ({ beside, pairs = PAIRS }: Wanted = {}) =>
    beside === undefined ? [] : measureBoth(beside, pairs),
};

const CONTACTS = 100_000;
const PAIRS = 7;

/** For each kind of CRM, the additional peak memory (MB) that the connector of the new version may use. */
const MOST_MEGABYTES_MORE: Readonly<Record<CrmKind, number>> = { salesforce: 3, hubspot: 6 };
const MOST_PROCESSOR = 1.05;

async function measureBoth(beside: string, pairs: number): Promise<Figure[]> {
  return [
    ...(await compare('hubspot', { rate: 0 }, { requestsPerTenSeconds: 0 }, beside, pairs)),
    ...(await compare('salesforce', {}, {}, beside, pairs)),
  ];
}

/** The measurements of one version of the program, by step. */
type Run = Readonly<Record<StepName, ConnectorStep>>;

type StepName = (typeof STEPS)[number];

const STEPS = ['read', 'write'] as const;

async function compare(
  kind: CrmKind,
  limits: Readonly<Record<string, number>>,
  settings: Readonly<Record<string, number>>,
  beside: string,
  pairs: number,
): Promise<Figure[]> {
  const ours: Run[] = [];
  const theirs: Run[] = [];
  await withCrm(kind, { contacts: CONTACTS, ...limits }, async (crm) => {
    for (let pair = 0; pair < pairs; pair += 1) {
      const turns = [
        async () => ours.push(await measureRun(crm, settings)),
        async () => theirs.push(await measureRun(crm, settings, beside)),
      ];
      // The order changes with each pair, because the load of the machine changes over time.
      for (const turn of pair % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
  });
  return STEPS.flatMap((step) => figuresOf(`${kind}: ${step}`, kind, step, ours, theirs));
}

async function measureRun(
  crm: Crm,
  settings: Readonly<Record<string, number>>,
  folder?: string,
): Promise<Run> {
  const { steps } = await crm.measure('write', settings, folder);
  const find = (wanted: StepName) => {
    const step = steps.find(({ name }) => name === wanted);
    if (step === undefined) throw new Error(`The connector did not ${wanted} anything`);
    return step;
  };
  return { read: find('read'), write: find('write') };
}

function figuresOf(
  name: string,
  kind: CrmKind,
  step: StepName,
  ours: readonly Run[],
  theirs: readonly Run[],
): Figure[] {
  const numbers = (runs: readonly Run[], of: (one: ConnectorStep) => number) =>
    runs.map((run) => of(run[step]));
  const user = ({ userMs }: ConnectorStep) => userMs;
  const peak = ({ peakMegabytes }: ConnectorStep) => peakMegabytes ?? 0;
  const theirUser = numbers(theirs, user);
  const ratios = numbers(ours, user).map((ms, pair) => ms / (theirUser[pair] ?? 0));
  const more = median(numbers(ours, peak)) - median(numbers(theirs, peak));
  return [
    exactly(`${name}: contacts`, Math.min(...numbers(ours, (one) => one.contacts)), '', CONTACTS),
    atMost(`${name}: processor`, round(median(ratios)), '×', MOST_PROCESSOR),
    {
      ...plain(`${name}: pairs from`, round(Math.min(...ratios)), '×'),
      goal: `to ${round(Math.max(...ratios))}`,
    },
    plain(`${name}: processor`, round(median(numbers(ours, user)) / 1_000), 's'),
    plain(`${name}: beside`, round(median(theirUser) / 1_000), 's'),
    plain(`${name}: time`, round(median(numbers(ours, (one) => one.seconds))), 's'),
    plain(`${name}: beside`, round(median(numbers(theirs, (one) => one.seconds))), 's'),
    plain(`${name}: most memory`, median(numbers(ours, peak)), 'MB'),
    atMost(`${name}: more memory`, more, 'MB', MOST_MEGABYTES_MORE[kind]),
  ];
}
