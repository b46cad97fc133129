/**
 * Tests whether a connector keeps the promises in `contract.ts`. The tests run in vitest, in node:test, or in any other
 * runner that has `describe` and `it`. A test harness changes records in the connector's CRM. Each kind of CRM declares
 * the events that can happen in it, and the kit runs only the tests for those events.
 */
import type { Ability, ConformanceHarness, TestRunner } from './harness.ts';
import { kitProblem } from './node.ts';
import { promiseAccounts } from './promises/accounts.ts';
import { promiseBetweenRequests } from './promises/between-requests.ts';
import { promiseByIds } from './promises/by-ids.ts';
import { promiseEnding } from './promises/ending.ts';
import { promiseExactTexts } from './promises/exact-texts.ts';
import { promiseFaultyParts } from './promises/faulty-parts.ts';
import { promiseFaultyReading } from './promises/faulty-reading.ts';
import { promiseFaultyWriting } from './promises/faulty-writing.ts';
import { promiseFields } from './promises/fields.ts';
import { promiseGroups } from './promises/groups.ts';
import { promiseIdentities } from './promises/identities.ts';
import { promiseMarkFields } from './promises/mark-fields.ts';
import { promiseMerged } from './promises/merged.ts';
import { promiseOpening } from './promises/opening.ts';
import { promiseOverwritten } from './promises/overwritten.ts';
import { promiseOwnMarks } from './promises/own-marks.ts';
import { promisePages } from './promises/pages.ts';
import { promiseReadingBack } from './promises/read-back.ts';
import { promiseRepeatedWrites } from './promises/repeated.ts';
import { promiseSettings } from './promises/settings.ts';
import { promiseSignedRequests } from './promises/signed-requests.ts';
import { promiseStopping } from './promises/stopping.ts';
import { promiseTogether } from './promises/together.ts';
import { promiseValues } from './promises/values.ts';
import { promiseWebhooks } from './promises/webhooks.ts';
import { promiseWriting } from './promises/writing.ts';
import { createSuite } from './suite.ts';

export type * from './harness.ts';
export * from './options.ts';

/** Declares the tests for a connector. `create` returns an empty CRM. The tests run one after another. */
export function testConnector(
  runner: TestRunner,
  name: string,
  create: () => Promise<ConformanceHarness>,
  abilities: readonly Ability[] = [],
): void {
  const problem = kitProblem(process.versions.node);
  if (problem === null) declarePromises(runner, name, create, abilities);
  // On an old version of Node, failures of Node would look like mistakes of the connector.
  else runner.it(problem, () => Promise.reject(new Error(problem)));
}

function declarePromises(
  runner: TestRunner,
  name: string,
  create: () => Promise<ConformanceHarness>,
  abilities: readonly Ability[],
): void {
  runner.describe(`the ${name} connector`, () => {
    const suite = createSuite(runner, create, abilities);
    promiseOpening(suite);
    promiseAccounts(suite);
    promisePages(suite);
    promiseIdentities(suite);
    promiseSettings(suite);
    promiseMarkFields(suite);
    promiseOwnMarks(suite);
    promiseByIds(suite);
    promiseMerged(suite);
    promiseWriting(suite);
    promiseRepeatedWrites(suite);
    promiseValues(suite);
    promiseExactTexts(suite);
    promiseTogether(suite);
    promiseReadingBack(suite);
    promiseOverwritten(suite);
    promiseFields(suite);
    promiseGroups(suite);
    promiseWebhooks(suite);
    if (suite.can('api')) {
      promiseFaultyReading(suite);
      promiseBetweenRequests(suite);
      promiseFaultyWriting(suite);
      promiseFaultyParts(suite);
      promiseStopping(suite);
      promiseSignedRequests(suite);
    } else {
      suite.notShown(
        'not shown, because the harness has no `api`: failures while reading and writing, lost responses, limits, rejected keys, redirects, edits during a write',
      );
    }
    promiseEnding(suite);
    for (const [ability, events] of Object.entries(UNTESTED)) {
      if (abilities.some((each) => each === ability)) continue;
      suite.notShown(`not shown, because the harness has no \`${ability}\`: ${events}`);
    }
  });
}

/**
 * Events that the kit does not test without this ability. The tests of the promises report the other untested events.
 */
const UNTESTED: Readonly<
  Record<
    Exclude<
      Ability,
      | 'api'
      | 'namedGroups'
      | 'anyTextMarks'
      | 'followsMerges'
      | 'ownMarks'
      | 'otherKey'
      | 'ownAddress'
      | 'losesFormer'
      | 'groups'
      | 'newField'
    >,
    string
  >
> = {
  vanish: 'contacts that the connector’s user can no longer see',
  mergeContacts: 'contacts that are merged',
  refuseWrites: 'contacts that may not be changed',
  refuseField: 'single values that the CRM refuses',
  lock: 'contacts that another user is changing',
  otherApp: 'values that another app has written',
  automate: 'values that the CRM’s automation changes after a write',
  addBreakingGroup: 'groups whose reading fails before its end',
  hideSources: 'rights to read addresses and employers that are taken away',
  severalAddresses: 'all addresses of a contact that has several',
  severalEmployers: 'all employers of a contact that has several',
  ids: 'IDs with several forms',
  webhooks: 'calls of the CRM: the contacts that they name, deletions for privacy, and signatures',
};
