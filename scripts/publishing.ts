/** Whether a version may be published from here: everything that the release workflow has done before. */

export interface Release {
  manifest: { name: string; version: string; repository?: unknown };
  /** The variable DONOR_SYNC_RELEASE, which the release workflow sets to the version that was decided. */
  announced: string | undefined;
  /** The tags of the commit that is checked out. */
  tags: readonly string[];
  /** What `git status --porcelain` prints. */
  changes: string;
}

/** Pure: the reasons not to publish, each with what to do; empty if nothing speaks against it. */
export function listObstacles({ manifest, announced, tags, changes }: Release): string[] {
  const { version, repository } = manifest;
  const tag = `v${version}`;
  return [
    announced === version
      ? ''
      : `DONOR_SYNC_RELEASE is ${announced === undefined ? 'not set' : `"${announced}"`}, not "${version}". Only the release workflow sets it.`,
    tags.includes(tag) ? '' : `The commit that is checked out has no tag ${tag}. Tag it first.`,
    changes.trim() === ''
      ? ''
      : 'Files are changed or not committed. Commit them, or take a fresh clone.',
    repository === undefined
      ? 'package.json has no "repository", which the provenance of a package is checked against. Add it.'
      : '',
  ].filter((obstacle) => obstacle !== '');
}
