import type { Command } from 'commander';
import { z } from 'zod';
import type { FieldCreation, FieldViewers } from '../../../connectors/contract.ts';
import type { OpenIntegration } from '../../application.ts';
import { createMissingFields, type FieldCheck, readFields } from '../../fields/describe.ts';
import type { FieldMapFinding } from '../../mapping/check-field-map.ts';
import { openCrm } from '../../run/crm-account.ts';
import { keepErasedAway } from '../../run/erased.ts';
import { withLease } from '../../sync/with-lease.ts';
import { attemptEach, finishAttempts, namedOrAll } from '../action/integrations.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { countOf, formatCount } from '../terminal/words.ts';
import { fieldSourceCommand } from './field-source.ts';

const EXAMPLES = `
Examples:
  donor-sync fields check                 what each mapped field lacks, and the fix
  donor-sync fields create riverside      create the missing ones and grant access to them
  donor-sync fields create riverside --assign-viewers "System Administrator"
                                          let the users of a profile see them (Salesforce)
  donor-sync fields source riverside-fields
                                          write them as source for \`sf project deploy\` (Salesforce)

Nothing is created twice; \`create\` may be run again at any time.`;

/** The command `fields`: whether the CRM can take what the field map wants to write. */
export function fieldsCommand(deps: ProductDeps): Command {
  return productCommand('fields', deps)
    .description('check the mapped fields of the CRM, create them, or write them as source')
    .addHelpText('after', EXAMPLES)
    .addCommand(checkCommand(deps))
    .addCommand(createFieldsCommand(deps))
    .addCommand(fieldSourceCommand(deps));
}

function checkCommand(deps: ProductDeps): Command {
  const command = productCommand('check', deps).description(
    'say what each mapped field lacks (missing, type, permission) and the exact fix',
  );
  return overIntegrations(deps, command, {
    work: check,
    print: printCheck,
    isFine: ({ findings }) => findings.length === 0,
  });
}

function createFieldsCommand(deps: ProductDeps): Command {
  const command = productCommand('create', deps).description(
    'create the mapped fields that are missing, with the access they need',
  );
  command.option(
    '--assign-viewers <profile>',
    'let the active users of this profile see the fields (Salesforce)',
  );
  return overIntegrations(deps, command, {
    work: create,
    print: printCreation,
    isFine: ({ created, findings, viewers }) =>
      findings.length === 0 &&
      created.every(({ result }) => result !== 'failed') &&
      (viewers?.problem ?? null) === null,
  });
}

const fieldOptions = baseOptions.extend({ assignViewers: z.string().min(1).optional() });
type FieldOptions = z.infer<typeof fieldOptions>;

interface FieldWork<Result> {
  work: (open: OpenIntegration, options: FieldOptions) => Promise<Result>;
  print: (output: Output, result: Result) => void;
  isFine: (result: Result) => boolean;
}

function overIntegrations<Result>(
  deps: ProductDeps,
  command: Command,
  { work, print, isFine }: FieldWork<Result>,
): Command {
  command.argument('[ids...]', 'the integrations (default: all)');
  return productAction(deps, command, fieldOptions, async (action, ids: string[]) => {
    const { application, options, output } = action;
    const attempts = await attemptEach(application, namedOrAll(application, ids), (open) =>
      work(open, options),
    );
    const code = finishAttempts(output, attempts, 'fields', (result) => print(output, result));
    const isFineEverywhere = attempts.every(({ value }) => value === undefined || isFine(value));
    // A field that cannot be written needs a person, as wrong settings do.
    return code === EXIT_CODES.done && !isFineEverywhere ? EXIT_CODES.usage : code;
  });
}

interface Checked extends FieldCheck {
  integration: string;
}

async function check({ integration, deps, mappings }: OpenIntegration): Promise<Checked> {
  const connector = await deps.openConnector(null);
  const { findings, toCreate } = await readFields(connector, mappings);
  return {
    integration: integration.id,
    mapped: mappings.length,
    findings,
    createdBySync: toCreate.map(({ name }) => name),
  };
}

interface Created {
  integration: string;
  created: FieldCreation[];
  /** What is still wrong afterwards. */
  findings: FieldMapFinding[];
  /** Who can see the fields; null where the CRM hides no new field from people. */
  viewers: FieldViewers | null;
}

/** Not during a run, which writes to the same CRM, and only in the account that is ours to write. */
function create(
  open: OpenIntegration,
  { assignViewers = null }: { assignViewers?: string | null | undefined },
): Promise<Created> {
  const { integration, mappings } = open;
  return withLease(open.deps, integration.id, async (lease) => {
    const deps = await openCrm(open.deps, lease);
    const { connector } = deps;
    await keepErasedAway(deps, integration.id);
    const created = await createMissingFields(connector, mappings);
    const { findings } = await readFields(connector, mappings);
    const names = mappings.map(({ to }) => to);
    const viewers = (await connector.showFields?.(names, assignViewers)) ?? null;
    await connector.finish();
    return { integration: integration.id, created, findings, viewers };
  });
}

function printCheck(
  output: Output,
  { integration, mapped, findings, createdBySync }: Checked,
): void {
  const verdict =
    findings.length === 0
      ? `${countOf(mapped, 'mapped field')}, all of them fine`
      : `${findings.length} of ${countOf(mapped, 'mapped field')} cannot be written`;
  output.print(`${output.style.strong(integration)}: ${verdict}`);
  printFindings(output, findings);
  if (createdBySync.length > 0) {
    output.print(`  The next sync adds the columns ${createdBySync.join(', ')} by itself.`);
  }
}

function printCreation(output: Output, { integration, created, findings, viewers }: Created): void {
  output.print(output.style.strong(integration));
  for (const { name, result, problem } of created) {
    output.print(`  ${name}: ${problem ?? WORDS[result]}`);
  }
  printFindings(output, findings);
  if (viewers !== null) printViewers(output, integration, viewers);
}

function printViewers(output: Output, integration: string, viewers: FieldViewers): void {
  const { grant, people, assigned, refused, problem, next } = viewers;
  if (problem !== null) {
    output.print(`  ${output.style.warn(problem)}`);
    return;
  }
  const given = assigned === 0 ? '' : `, ${formatCount(assigned)} of them since now`;
  const not = refused === 0 ? '' : `; the CRM refused it to ${countOf(refused, 'user')}`;
  output.print(
    `  The permission set “${grant}” lets people see the fields: ${countOf(people, 'user')} ${people === 1 ? 'has' : 'have'} it${given}${not}.`,
  );
  if (people === 0) {
    output.print(
      `  Assign it to people in the CRM, or run: donor-sync fields create ${integration} --assign-viewers "System Administrator"`,
    );
  }
  output.print(`  ${next}`);
}

const WORDS = {
  created: 'created',
  existed: 'was there already; access is granted',
  failed: 'could not be created',
} as const satisfies Record<FieldCreation['result'], string>;

function printFindings(output: Output, findings: readonly FieldMapFinding[]): void {
  for (const { message, fix } of findings) {
    output.print(`  ${output.style.warn(message)} ${fix}`);
  }
}
