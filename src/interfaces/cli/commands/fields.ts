import type { Command } from 'commander';
import { z } from 'zod';
import type { FieldCreation, FieldViewers, ListCreation } from '../../../../connectors/contract.ts';
import type { OpenIntegration } from '../../../application.ts';
import type { ValuesWaiting } from '../../../core/waiting-values.ts';
import { type CreatedFields, createFields } from '../../../fields/create-fields.ts';
import { type FieldCheck, readFields } from '../../../fields/describe.ts';
import { readValuesWaiting, waitingSentences } from '../../../fields/waiting-values-view.ts';
import type { FieldMapFinding } from '../../../mapping/check-field-map.ts';
import { parseCount } from '../action/command.ts';
import { attemptEach, finishAttempts, namedOrAll } from '../action/integrations.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { describeCount, formatCount } from '../terminal/words.ts';
import { fieldSourceCommand } from './field-source.ts';

const EXAMPLES = `
Examples:
  donor-sync fields check                 what each mapped field lacks, and the fix
  donor-sync fields create riverside      create the missing ones and grant access to them
  donor-sync fields create riverside --assign-viewers "System Administrator"
                                          let the users of a profile see them (Salesforce)
  donor-sync fields source riverside-fields
                                          write them as source for \`sf project deploy\` (Salesforce)
  donor-sync fields create riverside --with-lists --capacity-above 250000
                                          make lists of the contacts to work with (HubSpot)

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
  command.option(
    '--with-lists',
    'make the lists “capacity above”, “warm path above” and “needs a decision” (HubSpot)',
  );
  command.option('--capacity-above <dollars>', 'for its list (default: 100000)', parseCount);
  command.option('--warm-path-above <percent>', 'for its list (default: 50)', parseCount);
  return overIntegrations(deps, command, {
    work: createFields,
    print: printCreation,
    isFine: ({ created, findings, viewers, lists }) =>
      findings.length === 0 &&
      (lists ?? []).every(({ result }) => result !== 'failed') &&
      created.every(({ result }) => result !== 'failed') &&
      (viewers?.problem ?? null) === null,
  });
}

const fieldOptions = baseOptions.extend({
  assignViewers: z.string().min(1).optional(),
  withLists: z.boolean().default(false),
  capacityAbove: z.int().default(100_000),
  warmPathAbove: z.int().max(99, { error: 'Write a percentage below 100.' }).default(50),
});
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
  /** Values that were paid for and wait to be written. */
  valuesWaiting: ValuesWaiting;
}

async function check({ integration, deps, mappings }: OpenIntegration): Promise<Checked> {
  const connector = await deps.openConnector(null);
  const { findings, optional, toCreate } = await readFields(connector, mappings);
  return {
    integration: integration.id,
    mapped: mappings.length,
    findings,
    optional,
    createdBySync: toCreate.map(({ name }) => name),
    valuesWaiting: await readValuesWaiting(deps.store.reader, integration.id, mappings),
  };
}

function printCheck(
  output: Output,
  { integration, mapped, findings, optional, createdBySync, valuesWaiting }: Checked,
): void {
  const verdict =
    findings.length === 0
      ? `${describeCount(mapped - optional.length, 'mapped field')}, all of them fine`
      : `${findings.length} of ${describeCount(mapped, 'mapped field')} cannot be written`;
  output.print(`${output.style.strong(integration)}: ${verdict}`);
  printFindings(output, findings);
  if (optional.length > 0) {
    output.print(
      '  The status of contacts cannot be written, or not each; all else is written without it:',
    );
    printFindings(output, optional);
  }
  if (createdBySync.length > 0) {
    output.print(`  The next sync adds the columns ${createdBySync.join(', ')} by itself.`);
  }
  for (const sentence of waitingSentences(valuesWaiting)) output.print(`  ${sentence}`);
}

function printCreation(
  output: Output,
  { integration, created, findings, viewers, lists }: CreatedFields,
): void {
  output.print(output.style.strong(integration));
  for (const { name, result, problem } of created) {
    output.print(`  ${name}: ${problem ?? WORDS[result]}`);
  }
  printFindings(output, findings);
  if (lists?.length === 0) output.print(`  ${NO_LISTS}`);
  for (const { name, result, problem } of lists ?? []) {
    output.print(`  List “${name}”: ${problem ?? LIST_WORDS[result]}`);
  }
  if (viewers !== null) printViewers(output, integration, viewers);
}

function printViewers(output: Output, integration: string, viewers: FieldViewers): void {
  const { grant, people, assigned, refused, problem, next } = viewers;
  if (problem !== null) {
    output.print(`  ${output.style.warn(problem)}`);
    return;
  }
  const given = assigned === 0 ? '' : `, ${formatCount(assigned)} of them since now`;
  const not = refused === 0 ? '' : `; the CRM refused it to ${describeCount(refused, 'user')}`;
  output.print(
    `  The permission set “${grant}” lets people see the fields: ${describeCount(people, 'user')} ${people === 1 ? 'has' : 'have'} it${given}${not}.`,
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

const NO_LISTS = 'This kind of CRM has no lists that donor-sync can make.';

const LIST_WORDS = {
  created: 'created',
  existed: 'was there already, and stays as it is',
  failed: 'could not be made',
  left_out: 'left out',
} as const satisfies Record<ListCreation['result'], string>;

function printFindings(output: Output, findings: readonly FieldMapFinding[]): void {
  for (const { message, fix } of findings) {
    output.print(`  ${output.style.warn(message)} ${fix}`);
  }
}
