/**
 * Controls the stand-in itself under `/_sandbox`, for tests and for people who try things out. Requests need no key.
 */
import type { Hono } from 'hono';
import { z } from 'zod';
import { type ControlParts, readOrder } from '../../../testbed/control.ts';
import { createCrmControlRouter } from '../../crm/control.ts';
import type { RequestDetails } from '../../crm/requests.ts';
import type { Account } from '../account/account.ts';
import { constituentBody } from '../account/bodies.ts';
import type { Body } from '../account/constituent.ts';
import { customFieldSchema } from '../account/custom-fields.ts';
import { DETAIL_KINDS } from '../account/details.ts';
import { USER } from '../account/people.ts';
import { contactIdOf } from '../account/person-id.ts';
import { ruleSchema } from '../account/rules.ts';
import {
  type ConstituentInput,
  communicationSchema,
  constituentInputSchema,
  createConstituent,
  updateCommunication,
} from '../account/writes.ts';
import { BloomerangError } from '../core/errors.ts';
import { type BloomerangFault, bloomerangFaultRulesSchema } from '../requests/faults.ts';
import type { SignIn } from '../requests/sign-in.ts';

export interface ControlOptions extends ControlParts<BloomerangFault, RequestDetails> {
  account: Account;
  signIn: Pick<SignIn, 'revokeKeys'>;
}

const id = z.number().int();

/** Edits that a user makes in the account. An edit works in one way with every variant. */
const editSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('create'), values: constituentInputSchema }),
  /**
   * Imports many constituents, whose names can be blank. The constituents get consecutive IDs, and the response
   * contains the first ID.
   */
  z.strictObject({ action: z.literal('import'), rows: z.array(constituentInputSchema) }),
  /** Changes exactly these parts. The value null removes the primary address, email address or phone. */
  z.strictObject({ action: z.literal('update'), id, values: constituentInputSchema.partial() }),
  z.strictObject({ action: z.literal('delete'), id }),
  /** Merges two constituents into one. Afterwards, no request finds the ID of the second constituent. */
  z.strictObject({ action: z.literal('merge'), winnerId: id, loserId: id }),
  z.strictObject({ action: z.literal('group'), name: z.string(), ids: z.array(id) }),
  z.strictObject({ action: z.literal('hide'), ids: z.array(id), hidden: z.boolean() }),
  z.strictObject({ action: z.literal('communicate'), id, settings: communicationSchema }),
  /** A user types a value into a custom field. Null clears it. */
  z.strictObject({
    action: z.literal('type'),
    id,
    fieldId: id,
    value: z.union([z.string(), z.array(id)]).nullable(),
  }),
]);

const variantChangesSchema = z.record(z.string(), z.unknown());

const fieldChangesSchema = z.strictObject({
  name: z.string().min(1).exactOptional(),
  isActive: z.boolean().exactOptional(),
});

type Edit = z.output<typeof editSchema>;

export function controlRoutes(options: ControlOptions): Hono {
  const { account } = options;
  const router = createCrmControlRouter(options, {
    rulesSchema: bloomerangFaultRulesSchema,
    contactIdOf,
    isRefusal: (error) =>
      error instanceof BloomerangError ||
      error instanceof RangeError ||
      error instanceof z.ZodError,
    ruleSchema,
    rules: account.rules,
    // Bloomerang does not document a daily limit.
    apiUsage: { limit: 0, set() {} },
    readRecord: (_type, text) => readRecord(account, Number(text)),
  });
  router.post('/edit', async (c) => c.json({ id: edit(account, await readOrder(c, editSchema)) }));
  router.put('/variant', async (c) =>
    c.json(account.variant.change(await readOrder(c, variantChangesSchema))),
  );
  router.post('/custom-fields', async (c) =>
    c.json(account.customFields.create(await readOrder(c, customFieldSchema)), 201),
  );
  router.patch('/custom-fields/:id', async (c) => {
    account.customFields.change(Number(c.req.param('id')), await readOrder(c, fieldChangesSchema));
    return c.json(account.customFields.find(Number(c.req.param('id'))) ?? {});
  });
  router.delete('/keys', (c) => {
    options.signIn.revokeKeys();
    return c.json({});
  });
  return router;
}

/** Returns the ID of the constituent or the group. */
function edit(account: Account, order: Edit): number {
  const { constituents, groups } = account;
  switch (order.action) {
    case 'create':
      return createConstituent(account, order.values, USER).id;
    case 'import':
      return importRows(account, order.rows);
    case 'update':
      return update(account, order.id, order.values);
    case 'delete':
      constituents.delete(order.id);
      return order.id;
    case 'merge':
      constituents.delete(order.loserId);
      return order.winnerId;
    case 'group': {
      const group = groups.open(order.name);
      for (const member of order.ids) {
        save(account, member, (body) => ({ ...body, groupIds: [...body.groupIds, group.id] }));
      }
      return group.id;
    }
    case 'hide':
      for (const each of order.ids) constituents.hide(each, order.hidden);
      return order.ids[0] ?? 0;
    case 'communicate':
      return updateCommunication(account, order.id, order.settings, USER).id;
    case 'type':
      return save(account, order.id, (body) => {
        const { [String(order.fieldId)]: _, ...others } = body.custom;
        if (order.value === null) return { ...body, custom: others };
        return { ...body, custom: { ...others, [order.fieldId]: order.value } };
      });
  }
}

function importRows(account: Account, rows: readonly ConstituentInput[]): number {
  const ids = account.db.transaction(() =>
    rows.map((row) => {
      const named = { ...row, FirstName: row.FirstName ?? '-', LastName: row.LastName ?? '-' };
      const { id: created } = createConstituent(account, named, USER);
      const { FirstName = null, LastName = null } = row;
      return save(account, created, (body) => ({ ...body, FirstName, LastName }));
    }),
  )();
  return ids[0] ?? 0;
}

function update(
  account: Account,
  recordId: number,
  {
    PrimaryAddress,
    PrimaryEmail,
    PrimaryPhone,
    ...values
  }: Partial<z.output<typeof constituentInputSchema>>,
): number {
  const { details, clock } = account;
  const primary = { address: PrimaryAddress, email: PrimaryEmail, phone: PrimaryPhone };
  for (const kind of DETAIL_KINDS) {
    const detail = primary[kind];
    if (detail === undefined) continue;
    details.removePrimary(recordId, kind);
    if (detail === null) continue;
    const common = { kind, constituentId: recordId, isPrimary: true, modifiedAtMs: clock() };
    details.add({ ...common, body: detail });
  }
  const { CustomValues: _, ...parts } = values;
  return save(account, recordId, (body) => ({ ...body, ...toParts(parts) }));
}

function save({ constituents, clock }: Account, recordId: number, change: (body: Body) => Body) {
  const present = constituents.find(recordId);
  if (present === undefined) throw new RangeError(`There is no constituent ${recordId}.`);
  const author = { by: USER, atMs: clock(), touches: true };
  constituents.save({ ...present, body: change(present.body) }, author);
  return recordId;
}

/** Returns the parts of the constituent that the edit changes. */
function toParts(values: object): Partial<Body> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Returns all data about a constituent, including its bodies before each change. */
function readRecord(account: Account, recordId: number) {
  const found = account.constituents.find(recordId);
  if (found === undefined) return undefined;
  return {
    ...constituentBody(account, found),
    custom: found.body.custom,
    details: account.details.of(recordId).map(({ kind, isPrimary, body }) => ({
      kind,
      isPrimary,
      body,
    })),
    changes: account.constituents.changes(recordId),
  };
}
