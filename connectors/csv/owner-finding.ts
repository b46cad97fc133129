import type { Finding } from '../contract.ts';

/**
 * Returns findings about the owner of a file. A file that is replaced cannot keep another user as its owner, unless
 * root runs donor-sync.
 */
export function ownerFindings(
  path: string,
  file: { uid: number; gid: number },
  user: { uid: number; groups: readonly number[] },
): Finding[] {
  if (user.uid === 0 || user.uid === file.uid) return [];
  const group = user.groups.includes(file.gid)
    ? 'Its group stays.'
    : 'Its group changes too, and the new group gets no access.';
  return [
    {
      subject: 'owner',
      ok: true,
      message: `${path} belongs to another user (${file.uid}), and a sync replaces it with a file of the user that runs donor-sync (${user.uid}). ${group}`,
      fix: 'If the other user needs to write the file, give both users one group, and the group the right to write. Or set crm.output to a separate file.',
    },
  ];
}
