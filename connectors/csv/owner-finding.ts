import type { Finding } from '../contract.ts';

/**
 * Reports if the output file gets a different owner when donor-sync replaces it. Only root can set the owner of a new
 * file.
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
