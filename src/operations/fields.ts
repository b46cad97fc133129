import { z } from 'zod';
import { namesOffering } from '../../connectors/index.ts';
import { ConfigurationError } from '../core/errors.ts';
import { describeCount, formatCount } from '../core/quantities.ts';
import { doorAddress } from '../core/token-door.ts';
import { valuesWaitingSchema } from '../core/waiting-values.ts';
import { createFields } from '../fields/create-fields.ts';
import { readFieldCheck } from '../fields/field-check.ts';
import { waitingSentences } from '../fields/waiting-values-view.ts';
import { readAddresses } from '../people/server-address.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting } from './kit/operation.ts';

const CLIENT = z.string().describe('The ID of the client');

const lineSchema = z
  .object({
    from: z.string().describe('The profile value, such as netWorth.low'),
    to: z.string().describe("The field's name in the CRM"),
    when: z.string(),
    label: z.string().nullable().describe('Null if the CRM does not have the field'),
    type: z.string().nullable(),
    writable: z.boolean().nullable(),
    problem: z
      .object({
        kind: z.string(),
        message: z.string(),
        fix: z.string(),
        optional: z.boolean().describe('True if everything else is written without this field'),
      })
      .nullable(),
    createdBySync: z.boolean().describe('True if the next run adds the column'),
    writtenAt: z.iso.datetime().nullable(),
    filled: z
      .object({ of: z.int(), count: z.int() })
      .nullable()
      .describe('Number of checked contacts that have a value from donor-sync'),
  })
  .meta({ id: 'FieldLine' });

type Line = z.output<typeof lineSchema>;

export const checkFields = acting({
  name: 'fields check',
  summary:
    "Check each mapped field against the CRM's description of it, and show how to fix problems",
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: CLIENT }),
  subjects: ['integration'],
  result: z.object({
    integration: z.string(),
    fields: z.array(lineSchema).describe('The field map, line by line'),
    valuesWaiting: valuesWaitingSchema,
  }),
  async run(world, { integration }) {
    const client = findClient(world, integration);
    return { integration: client.id, ...(await readFieldCheck(toLive(world), client)) };
  },
  say({ integration, fields, valuesWaiting }) {
    const findings = fields.filter(isBroken);
    const optional = fields.filter(({ problem }) => problem?.optional === true);
    const created = fields.filter(({ createdBySync }) => createdBySync).map(({ to }) => to);
    const verdict =
      findings.length === 0
        ? `${describeCount(fields.length - optional.length, 'mapped field')}, all of them writable.`
        : `${findings.length} of ${describeCount(fields.length, 'mapped field')} cannot be written.`;
    return [
      `${integration}: ${verdict}`,
      ...findings.flatMap(describeProblem),
      ...(optional.length === 0
        ? []
        : ['  The contact status cannot be written completely. Everything else is written:']),
      ...optional.flatMap(describeProblem),
      ...(created.length === 0 ? [] : [`  The next sync adds the columns ${created.join(', ')}.`]),
      ...waitingSentences(valuesWaiting).map((sentence) => `  ${sentence}`),
    ];
  },
  // If a field cannot be written, a user has to solve the problem, as with wrong settings.
  ending: ({ fields }) => (fields.some(isBroken) ? 'refused' : 'done'),
});

function isBroken({ problem }: Line): boolean {
  return problem !== null && !problem.optional;
}

function describeProblem({ problem }: Line): string[] {
  return problem === null ? [] : [`  ${problem.message} ${problem.fix}`];
}

const COUNT = { error: 'Enter a whole number of at least 1, for example 250000.' };
const PERCENT = { error: 'Enter a percentage from 1 to 99.' };

const results = ['created', 'existed', 'failed'] as const;

const createdSchema = z
  .object({
    integration: z.string(),
    created: z.array(
      z.object({ name: z.string(), result: z.enum(results), problem: z.string().nullable() }),
    ),
    findings: z
      .array(
        z.object({
          field: z.string(),
          from: z.string(),
          problem: z.string(),
          message: z.string(),
          fix: z.string(),
        }),
      )
      .describe('The remaining problems'),
    viewers: z
      .object({
        grant: z
          .string()
          .describe(
            "The CRM's name for the object that makes the fields visible, such as a permission set",
          ),
        people: z.int().describe('Number of users who have it'),
        assigned: z.int().describe('Number of users to whom this request assigned it'),
        refused: z.int(),
        problem: z.string().nullable(),
        next: z.string(),
      })
      .nullable()
      .describe('Who can see the fields; null if the CRM does not hide new fields'),
    lists: z
      .array(
        z.object({
          name: z.string(),
          result: z.enum([...results, 'left_out']),
          problem: z.string().nullable(),
        }),
      )
      .nullable()
      .describe('Null if no lists were requested; empty if this kind of CRM has none'),
  })
  .meta({ id: 'CreatedFields' });

type Created = z.output<typeof createdSchema>;

export const createMissingFields = acting({
  name: 'fields create',
  summary: 'Create the mapped fields that are missing in the CRM, with the necessary access',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: CLIENT,
    assignViewers: z
      .string()
      .trim()
      .min(1, { error: 'Enter the name of a profile.' })
      .max(100, { error: 'Enter the name of a profile, at most 100 characters.' })
      .optional()
      .describe(`A profile whose active users will see the fields (${namesOffering('viewers')})`),
    withLists: z
      .boolean()
      .default(false)
      .describe(`Also create lists of contacts to work with (${namesOffering('lists')})`),
    capacityAbove: z
      .int(COUNT)
      .min(1, COUNT)
      .default(100_000)
      .describe('The lowest giving capacity in the list, in dollars; 100000 by default'),
    warmPathAbove: z
      .int(PERCENT)
      .min(1, PERCENT)
      .max(99, PERCENT)
      .default(50)
      .describe('The lowest strength of a warm path in the list, in percent; 50 by default'),
  }),
  subjects: ['integration'],
  result: createdSchema,
  async run(world, { integration, ...options }) {
    const { application, signal } = toLive(world);
    const open = await application.open(findClient(world, integration), signal);
    try {
      return await createFields(open, options);
    } finally {
      await open.close();
    }
  },
  say: ({ integration, created, findings, viewers, lists }) => [
    integration,
    ...(created.length === 0 && findings.length === 0 ? ['  No field was missing.'] : []),
    ...created.map(({ name, result, problem }) => `  ${name}: ${problem ?? WORDS[result]}`),
    ...findings.map(({ message, fix }) => `  ${message} ${fix}`),
    ...(lists?.length === 0 ? [`  ${NO_LISTS}`] : []),
    ...(lists ?? []).map(
      ({ name, result, problem }) => `  List “${name}”: ${problem ?? LIST_WORDS[result]}`,
    ),
    ...(viewers === null ? [] : describeViewers(integration, viewers)),
  ],
  ending: (result) => (describeFailures(result).length === 0 ? 'done' : 'refused'),
});

/** Describes the fields that could not be created, in sentences. */
export function describeFailures({ created, findings, viewers, lists }: Created): string[] {
  return [
    ...[...created, ...(lists ?? [])].flatMap(({ name, result, problem }) =>
      result === 'failed' ? [`${name}: ${problem ?? 'it could not be created.'}`] : [],
    ),
    ...findings.map(({ message, fix }) => `${message} ${fix}`),
    ...(viewers?.problem ? [viewers.problem] : []),
  ];
}

function describeViewers(
  integration: string,
  { grant, people, assigned, refused, problem, next }: NonNullable<Created['viewers']>,
): string[] {
  if (problem !== null) return [`  ${problem}`];
  const given = assigned === 0 ? '' : `, ${formatCount(assigned)} of them newly assigned`;
  const not =
    refused === 0 ? '' : `; the CRM refused to assign it to ${describeCount(refused, 'user')}`;
  return [
    `  The permission set “${grant}” lets users see the fields: ${describeCount(people, 'user')} ${people === 1 ? 'has' : 'have'} it${given}${not}.`,
    ...(people === 0
      ? [
          `  Assign it to users in the CRM, or run: donor-sync fields create ${integration} --assign-viewers "System Administrator"`,
        ]
      : []),
    `  ${next}`,
  ];
}

const WORDS = {
  created: 'created.',
  existed: 'already existed; access is granted.',
  failed: 'could not be created.',
} as const;

const NO_LISTS = 'This kind of CRM has no lists that donor-sync can create.';

const LIST_WORDS = {
  created: 'created.',
  existed: 'already existed and was not changed.',
  failed: 'could not be created.',
  left_out: 'was skipped.',
} as const;

export const getFieldSource = acting({
  name: 'fields source',
  summary: `Get the mapped fields as source for an administrator to deploy (${namesOffering('source')})`,
  details:
    'The same fields that `POST` would create, as a project for `sf project deploy`. Write each file to its path in an empty folder.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: CLIENT,
    enhanceNow: z
      .boolean()
      .default(false)
      .describe('Add the button that enhances a record; needs an https address of the server'),
  }),
  subjects: ['integration'],
  result: z.object({
    integration: z.string(),
    files: z
      .array(z.object({ path: z.string(), text: z.string() }))
      .describe('The paths are relative to the folder and contain slashes'),
    leftOut: z
      .array(z.object({ name: z.string(), problem: z.string() }))
      .describe('The mapped fields that are not in any file, and why'),
    next: z.array(z.string()).describe('The next steps with the files, in order'),
  }),
  async run(world, { integration, enhanceNow }) {
    const { application, signal } = toLive(world);
    const client = findClient(world, integration);
    const door = enhanceNow ? await findDoorAddress(world, client.id) : null;
    const open = await application.open(client, signal);
    try {
      const source = open.fieldsAsSource(door);
      if (source === null) throw noSource(client.crm.kind);
      const { leftOut, next } = source;
      const files = [...source.files].map(([path, text]) => ({ path, text }));
      return { integration: client.id, files, leftOut: [...leftOut], next: [...next] };
    } finally {
      await open.close();
    }
  },
  say: ({ integration, files }) => `${describeCount(files.length, 'file')} for ${integration}.`,
});

/**
 * Returns the address for calls from CRM pages. Throws a ConfigurationError if the server has no HTTPS address that the
 * CRM can reach.
 */
async function findDoorAddress(world: ActingWorld, integration: string): Promise<string> {
  const { url } = await readAddresses(world.reader, world);
  if (url.startsWith('https:')) return doorAddress(url, integration);
  throw new ConfigurationError(
    `The CRM cannot call ${url}, because it is not an https address. Nothing was written. Set the address of the server under Users, Address, or as server.publicUrl; without the button, leave out --enhance-now.`,
    { code: 'door_needs_https', details: { url } },
  );
}

function noSource(kind: string): ConfigurationError {
  return new ConfigurationError(
    `${kind} fields cannot be deployed as source. Run \`donor-sync fields create\` instead.`,
    { code: 'fields_without_source', details: { kind } },
  );
}

function toLive({ application, store, signal }: ActingWorld) {
  return { application: { ...application, store }, signal };
}
