import type { SalesforceFault } from '../errors.ts';

/**
 * Why a record failed, from its cell `sf__Error`: `CODE:message:fields --`, once for each error
 * (CRM facts, section A3). Like the collections' results it is told by its first error, with the
 * fields of all. Messages may hold anything, values too, so nothing of another error's may stay in.
 */
export function bulkFault(cell: string): SalesforceFault {
  const errors = cell.split(END_OF_ERROR).map((error) => ERROR.exec(error.trim()) ?? []);
  const [, code = 'UNKNOWN_EXCEPTION', message = ''] = errors[0] ?? [];
  const fields = errors.flatMap(([, , , names = '']) =>
    names.split(',').map((name) => name.trim()),
  );
  return { code, message, fields: [...new Set(fields)].filter((name) => name !== '') };
}

/** Two hyphens in a message end nothing: behind the end stands the next code, or nothing. */
const END_OF_ERROR = /--(?=[A-Z][A-Z0-9_]*:|\s*$)/;

const ERROR = /^([A-Z][A-Z0-9_]*):(.*):([\w,. ]*)$/s;
