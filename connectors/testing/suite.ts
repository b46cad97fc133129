/**
 * Creates the tests for a connector. Each test has its own CRM, and closes all connectors and proxies that it has
 * opened.
 */
import type { Connector } from '../contract.ts';
import { explain } from './expect.ts';
import type {
  Ability,
  ConformanceHarness,
  HarnessOptions,
  SeedContact,
  TestRunner,
} from './harness.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';

/** The objects that a test uses. */
export interface ConnectorTest {
  crm: ConformanceHarness;
  /** The connector that the test opened last. */
  readonly connector: Connector;
  open(options?: HarnessOptions): Promise<void>;
  another(options?: HarnessOptions): Promise<Connector>;
  /** Creates another CRM. */
  otherCrm(): Promise<ConformanceHarness>;
  /** Returns a proxy in front of the CRM's API. Only kinds of CRM with `api` have a proxy. */
  proxy(): Promise<FaultProxy>;
  start(contacts: readonly SeedContact[]): Promise<string[]>;
  /** Closes the connector and opens it again, as a later run would. */
  startAgain(): Promise<void>;
}

/** The functions with which promises declare their tests. */
export interface Suite {
  describe(name: string, body: () => void): void;
  it(title: string, body: (t: ConnectorTest) => Promise<void>): void;
  /**
   * True if the kind of CRM has this ability. The kit runs the tests of an ability only for CRMs that have the ability.
   */
  can(ability: Ability): boolean;
  /** Reports a property that the kit does not test, with the reason. */
  notShown(title: string): void;
}

export function createSuite(
  runner: TestRunner,
  create: () => Promise<ConformanceHarness>,
  abilities: readonly Ability[],
): Suite {
  return {
    describe(name, body) {
      runner.describe(name, body);
    },
    it(title, body) {
      runner.it(title, () =>
        runTest(create, body).catch((error: unknown) => {
          throw explain(title, error);
        }),
      );
    },
    can: (ability) => abilities.includes(ability),
    notShown: (title) => void runner.it.skip?.(title, async () => {}),
  };
}

async function runTest(
  create: () => Promise<ConformanceHarness>,
  body: (t: ConnectorTest) => Promise<void>,
): Promise<void> {
  const crm = await create();
  const opened: Connector[] = [];
  const others: ConformanceHarness[] = [];
  const proxies: FaultProxy[] = [];
  const test: ConnectorTest = {
    crm,
    get connector() {
      const last = opened.at(-1);
      if (last === undefined) throw new Error('The test has opened no connector.');
      return last;
    },
    async open(options) {
      await test.another(options);
    },
    async another(options) {
      const connector = await crm.open(options);
      opened.push(connector);
      return connector;
    },
    async otherCrm() {
      const other = await create();
      others.push(other);
      return other;
    },
    async proxy() {
      if (crm.api === undefined) throw new Error('The harness has no `api`.');
      const proxy = await startFaultProxy(crm.api.url);
      proxies.push(proxy);
      return proxy;
    },
    async start(contacts) {
      const ids = await crm.addContacts(contacts);
      await test.open();
      return ids;
    },
    async startAgain() {
      await test.connector.finish();
      await test.connector.close();
      await test.open();
    },
  };
  try {
    await body(test);
  } finally {
    for (const each of opened) await each.close();
    for (const each of [...proxies, ...others, crm]) await each.close();
  }
}
