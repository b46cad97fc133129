/** Describes the export endpoints for openapi.json. */

import { createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { PartnerEnv } from '../context.ts';
import {
  batchMetaSchema,
  donorIdsSchema,
  notFoundIdsSchema,
  unpaidIdsSchema,
} from '../donors/batch.ts';
import {
  batchErrors,
  commonErrors,
  creditErrors,
  invalidQueryError,
  json,
  notFoundError,
} from '../errors.ts';
import { nextCursorSchema, pageQuerySchema } from '../pages.ts';
import { limitItems } from '../validation.ts';
import { EXPORT_FIELDS } from './export-fields.ts';
import { CONTENT_TYPES, EXPORT_FORMATS } from './export-file.ts';

/** The maximum number of donors in one export. */
export const MAX_EXPORTED_DONORS = 10_000;

const TAGS = ['Exports'];

const oneExport = z.object({ id: z.string().openapi({ description: 'An export id' }) });

const orderSchema = z
  .object({
    fields: z
      .array(z.enum(EXPORT_FIELDS))
      .min(1)
      .openapi({ description: 'The columns, in this order', example: ['full_name', 'city'] }),
    format: z.enum(EXPORT_FORMATS).default('csv'),
    donor_ids: donorIdsSchema.optional().openapi({ maxItems: MAX_EXPORTED_DONORS }),
    list_id: z.string().optional().openapi({ description: 'Exports the donors of this list' }),
  })
  .refine((order) => (order.donor_ids === undefined) !== (order.list_id === undefined), {
    message: 'give either donor_ids or list_id',
  })
  .openapi('ExportRequest', {
    example: {
      fields: ['full_name', 'city', 'net_worth_low'],
      format: 'xlsx',
      donor_ids: ['0123456789abcdef0123456789abcdef'],
    },
  });

export type ExportOrder = z.infer<typeof orderSchema>;

const exportShape = {
  export_id: z.string(),
  status: z.literal('completed').openapi({ description: 'Exports are created at once' }),
  format: z.enum(EXPORT_FORMATS),
  fields: z.array(z.enum(EXPORT_FIELDS)),
  donor_count: z.int().min(0),
  size_bytes: z.int().min(0),
  created_at: z.iso.datetime(),
  download_path: z.string().openapi({ description: 'Path of the file, relative to the base URL' }),
};

const exportSchema = z.object(exportShape).openapi('Export');

const fileSchema = z.string().openapi({ format: 'binary' });

/** Creates an export. The request costs credits. */
export const createExportRoute = createRoute({
  method: 'post',
  path: '/exports',
  tags: TAGS,
  summary: 'Export donors as CSV or XLSX',
  description: `One credit of the exports bucket per donor id, or per donor of the list; at most ${MAX_EXPORTED_DONORS}. When the balance is short, as many are exported as it covers, from the front. The file is created at once and kept.`,
  middleware: [limitItems('donor_ids', MAX_EXPORTED_DONORS), requireFields()],
  request: { body: { required: true, ...json(orderSchema) } },
  responses: {
    201: {
      description: 'The export.',
      ...json(
        z
          .object({
            ...exportShape,
            not_found_ids: notFoundIdsSchema,
            unpaid_ids: unpaidIdsSchema,
            meta: batchMetaSchema,
          })
          .openapi('ExportMade'),
      ),
    },
    ...creditErrors,
    ...notFoundError,
    ...batchErrors,
    400: {
      ...batchErrors[400],
      description: 'The fields are missing, or there are too many donors or none.',
    },
  },
});

/** Lists earlier exports. */
export const exportsRoute = createRoute({
  method: 'get',
  path: '/exports',
  tags: TAGS,
  summary: 'Past exports of the team',
  description: 'Free. The latest export comes first.',
  request: { query: pageQuerySchema },
  responses: {
    200: {
      description: 'One page of exports.',
      ...json(z.object({ exports: z.array(exportSchema), next_cursor: nextCursorSchema })),
    },
    ...invalidQueryError,
    ...commonErrors,
  },
});

export const exportRoute = createRoute({
  method: 'get',
  path: '/exports/{id}',
  tags: TAGS,
  summary: 'One past export',
  description: 'Free.',
  request: { params: oneExport },
  responses: {
    200: { description: 'The export.', ...json(exportSchema) },
    ...notFoundError,
    ...commonErrors,
  },
});

export const downloadRoute = createRoute({
  method: 'get',
  path: '/exports/{id}/download',
  tags: TAGS,
  summary: 'The file of an export',
  description: 'Free. In CSV, an apostrophe precedes texts that start like a formula.',
  request: { params: oneExport },
  responses: {
    200: {
      description: 'The file.',
      content: Object.fromEntries(
        Object.values(CONTENT_TYPES).map((contentType) => [contentType, { schema: fileSchema }]),
      ),
    },
    ...notFoundError,
    ...commonErrors,
  },
});

/**
 * Responds with 400 if a request names no fields (service document, section 7.2). For other invalid requests, the
 * status is 422.
 */
function requireFields(): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    const order = fieldsOf.safeParse(c.var.body);
    return order.success
      ? c.json({ detail: 'The parameter fields is required: the columns of the export' }, 400)
      : next();
  };
}

const fieldsOf = z.object({ fields: z.union([z.null(), z.undefined(), z.tuple([])]).optional() });
