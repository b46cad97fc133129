import { createSecretKey, randomBytes } from 'node:crypto';
import type { ConnectorDeps } from '../../../../../connectors/contract.ts';
import { systemClock } from '../../../../core/clock.ts';
import { messageOf } from '../../../../core/errors.ts';
import type { Integration } from '../../../../core/integration-settings.ts';
import { silentLog } from '../../../../core/log.ts';
import type { PersonDetails } from '../../../../core/person.ts';
import { createFingerprint } from '../../../../database/encryption/fingerprint.ts';
import type { LoadOptions } from '../../../../settings/settings.ts';
import {
  describeOddity,
  firstPersons,
  type PersonShape,
  toPersonShape,
} from '../../../../sync/sample-persons.ts';
import type { Output } from '../../terminal/output.ts';
import { cancelled, type Prompter } from '../../terminal/prompts.ts';
import { formatTable } from '../../terminal/table.ts';
import { buildTitle, PERSON_COLUMNS, printPersons } from '../plan/text.ts';

/** The dependencies for showing people. */
interface ShowDeps extends Pick<LoadOptions, 'findConnectorDefinition'> {
  stderr: { columns?: number };
}

/** The terminal, and the user who checks the people. */
export interface Showing {
  deps: ShowDeps;
  output: Output;
  asker: Prompter | null;
}

/**
 * Shows a few people, and asks the user to confirm them, because a wrong column costs a credit per contact. Returns the
 * kinds of data that exist about each person. Throws a ConfigurationError if the user refuses.
 */
export async function showPersons(
  { deps, output, asker }: Showing,
  integration: Integration | undefined,
): Promise<PersonShape[]> {
  if (integration?.crm.kind !== 'csv') return [];
  const persons = await readFile(deps, integration).catch((error: unknown) => {
    output.note(`No people from the file can be shown: ${messageOf(error)}`);
    return [];
  });
  const shapes = persons.map(toPersonShape);
  if (persons.length === 0) return shapes;
  if (asker === null) printPersons(output, persons);
  else await confirmPersons(deps, output, asker, persons);
  return shapes;
}

async function confirmPersons(
  { stderr }: ShowDeps,
  output: Output,
  asker: Prompter,
  persons: readonly PersonDetails[],
): Promise<void> {
  const width = stderr.columns ?? Number.POSITIVE_INFINITY;
  output.note(`${buildTitle(persons)}:\n${formatTable(PERSON_COLUMNS, persons, { width })}`);
  const oddity = describeOddity(persons.map(toPersonShape));
  if (oddity !== null) output.note(oddity);
  if (await asker.confirm('Are these the right columns?', true)) return;
  throw cancelled(' Run init again and choose other columns, for example with --csv-first-name.');
}

/**
 * Returns the dependencies of a connector for a file. The dependencies contain no secrets and are never aborted.
 * Because no database is open, a temporary key selects the people.
 */
export function fileDeps(): ConnectorDeps {
  return {
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    secrets: { read: async () => null, write: async () => {} },
    onCall() {},
  };
}

async function readFile(
  { findConnectorDefinition }: ShowDeps,
  { crm, contacts }: Integration,
): Promise<PersonDetails[]> {
  const definition = await findConnectorDefinition(crm.kind);
  const connector = await definition.open({
    settings: definition.settingsSchema.parse(crm),
    contacts,
    deps: fileDeps(),
  });
  const fingerprint = createFingerprint(createSecretKey(randomBytes(32)));
  try {
    return await firstPersons(connector, (crmId) => fingerprint('trial', crmId));
  } finally {
    await connector.close();
  }
}
