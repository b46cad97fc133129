import type { ErrorTopic } from './explanation.ts';

const KEYS = 'docs/guides/operating.md#keys';
const BACKUPS = 'docs/guides/operating.md#what-is-stored-and-backups';
const POSTGRES = 'docs/guides/operating.md#postgres';
const UPDATING = 'docs/guides/operating.md#updating';
const MOVING = 'docs/guides/many-machines.md#from-sqlite';

/** Errors of the database, its keys, its backups, and moves to a different database. */
export const DATABASE_ERRORS: ErrorTopic = {
  document: 'docs/troubleshooting.md',
  codes: {
    audit_changed: {
      means:
        'Audit entries were changed or removed in the database. donor-sync itself never changes an entry.',
      next: 'The message names the entries. Compare them with a backup, and find out which other program or user can write to the database.',
      document: 'docs/guides/operating.md#who-did-what',
    },
    audit_set_back: {
      means:
        'The record of the last audit entry is older than the audit entries themselves. The action was refused, and nothing was changed.',
      next: 'Run `donor-sync audit verify`. Then restore the `audit_head` row, or the whole database, from a backup.',
      document: 'docs/guides/operating.md#who-did-what',
    },
    backup_damaged: {
      means:
        'The backup is incomplete, was changed, or was encrypted with another key of the same name. Nothing was restored.',
      next: 'Use another backup.',
      document: BACKUPS,
    },
    backup_key_missing: {
      means: 'The key that encrypted the backup is not available here. Nothing was restored.',
      next: 'Add the key to DONOR_SYNC_SECRET_KEY, or put its key file next to the database. Then repeat the command.',
      document: KEYS,
    },
    backup_not_of_file: {
      means: 'donor-sync can only back up and restore SQLite database files. Nothing was changed.',
      next: "For Postgres, use the server's own tools. The message contains the command.",
      document: BACKUPS,
    },
    backup_unknown: {
      means:
        'The file is not a backup that this version of `donor-sync backup` created. Nothing was restored.',
      next: 'Name a file that `donor-sync backup` created.',
      document: BACKUPS,
    },
    backup_unusable: {
      means: 'The backup file cannot be read or written. Nothing was changed.',
      next: 'Check the path, the permissions and the free space on the disk. Then repeat the command.',
      document: BACKUPS,
    },
    database_access_refused: {
      means: 'The database refused access, so the command ended.',
      next: "For Postgres, check the user, the password and the database name in the `database` setting, and the user's permissions. For an SQLite file, check that this user can write to it.",
      document: POSTGRES,
    },
    database_busy: {
      means: 'The database was busy with other work for too long. The change was not saved.',
      next: 'Try again in a moment. A run retries automatically.',
    },
    database_closed: {
      means:
        'The program was shutting down, and its database was already closed, so the remaining work was not done.',
      next: 'Nothing is lost: start the program again. The next run continues an interrupted run.',
    },
    database_commit_unconfirmed: {
      means:
        'The connection to the database was lost during a commit, so it is unknown whether the change was saved.',
      next: 'Start donor-sync again. It checks what was saved before it spends anything.',
      document: POSTGRES,
    },
    database_connection_lost: {
      means: 'The connection to the database was lost. The unfinished change was not saved.',
      next: 'Check the database server and start donor-sync again. The next run continues from there.',
      document: POSTGRES,
    },
    database_damaged: {
      means: 'The database or its copy is damaged.',
      next: 'Restore the database from a backup, and check the disk.',
      document: BACKUPS,
    },
    database_disk_unsuitable: {
      means:
        "The disk does not support SQLite's write-ahead log, as is usual for network shares. The database was not used.",
      next: 'Set `database` to a file on a local disk, or use Postgres.',
    },
    database_file_missing: {
      means:
        'The `database` setting contains the path of a file that does not exist. Nothing was moved.',
      next: 'Correct the `database` setting, or run the command in the folder that contains the settings file.',
      document: MOVING,
    },
    database_file_unusable: {
      means: 'The database file cannot be created or written.',
      next: 'Choose a file in a folder that this user can write to, or change the permissions.',
    },
    database_full: {
      means: 'The disk that holds the database is full. The last change was not saved.',
      next: 'Free some space and start donor-sync again. The next run continues from there.',
    },
    database_held_too_long: {
      means:
        'A transaction blocked the database for too long and was stopped. Its changes were not saved. This is a defect in donor-sync.',
      next: 'Start donor-sync again, and report the defect with `donor-sync doctor --report FILE`.',
    },
    database_in_use: {
      means: 'Another process has the database open. Nothing was changed.',
      next: 'Stop `donor-sync serve`, every worker and every other command that uses the database. Then repeat the command.',
      document: BACKUPS,
    },
    database_io_failed: {
      means: 'The disk failed while the database was being read or written.',
      next: 'Check the disk, then start donor-sync again. If the file is damaged, restore a backup.',
      document: BACKUPS,
    },
    database_newer: {
      means:
        'The database was changed by a later version of donor-sync, so this version cannot use it. Nothing was changed.',
      next: 'Install the version that last used the database, or a later version.',
      document: UPDATING,
    },
    database_not_a_database: {
      means:
        'The `database` setting contains the path of a file that is not an SQLite database. The file was not changed.',
      next: 'Choose another file.',
    },
    database_number_too_large: {
      means:
        'The database contains a number that is too large to be exact. donor-sync never writes such a number.',
      next: 'Find out which other program writes to the database, and restore a backup.',
      document: BACKUPS,
    },
    database_other_ground: {
      means:
        'The database was created by another pre-release of 1.0.0, and pre-releases do not upgrade databases. Nothing was changed.',
      next: 'Use the version that created the database, or set `database` to a new database.',
      document: UPDATING,
    },
    database_part_missing: {
      means: 'Another program removed or renamed a table or a column that donor-sync needs.',
      next: "Restore the database from a backup, and revoke that program's access.",
      document: BACKUPS,
    },
    database_too_old: {
      means:
        'The database was created by a version before 1.0.0-rc, and this version cannot read it. Nothing was changed.',
      next: 'Set `database` to a new database, or keep using the old version.',
      document: 'docs/guides/operating.md#databases-from-version-010',
    },
    database_unavailable: {
      means:
        'The database server did not respond, because it is restarting or unreachable. The change was not saved.',
      next: 'Wait, or check the server and the network. Once the server responds, donor-sync continues.',
      document: POSTGRES,
    },
    database_unreachable: {
      means: 'donor-sync could not open the Postgres database when it started. Nothing was done.',
      next: 'Check that the server is running. Also check the host, port, database name and TLS mode in the `database` setting.',
      document: 'docs/guides/settings.md#tls-to-postgres',
    },
    database_url_invalid: {
      means:
        'The `database` setting or the address after `--to` is not a database address. Nothing was opened.',
      next: 'Use the path of a file, or an address that starts with `postgres://`.',
      document: 'docs/guides/settings.md',
    },
    database_used_inside_transaction: {
      means:
        'A part of donor-sync used the database outside its open transaction, which would have caused a deadlock. The changes were not saved. This is a defect in donor-sync.',
      next: 'Report the defect with `donor-sync doctor --report FILE`.',
    },
    file_exists: {
      means:
        'The file of the new backup already exists. It was not changed, and no backup was created.',
      next: 'Choose a file name that does not exist yet.',
      document: BACKUPS,
    },
    fingerprint_key_unreadable: {
      means:
        "The key for this database's fingerprints cannot be decrypted, so nothing can be compared. The key was not replaced.",
      next: "Provide the correct DONOR_SYNC_SECRET_KEY, or this database's key file. Never create a new key for it.",
      document: KEYS,
    },
    identity_form_unknown: {
      means:
        'The database contains a fingerprint in a form that this version does not know. No credit is spent on the contact.',
      next: 'Use the version of donor-sync that wrote the database, or a later one.',
      costs: 'Nothing.',
      document: UPDATING,
    },
    kept_profile_damaged: {
      means:
        'A profile in the database cannot be decrypted, because it was changed or its key belongs to another profile. It was not written to the CRM.',
      next: 'Find out which other program writes to the database, and restore a backup.',
      document: BACKUPS,
    },
    key_file_unusable: {
      means: "The database's key file cannot be read or created. Nothing was opened.",
      next: 'Make the file readable for this user, or set DONOR_SYNC_SECRET_KEY.',
      document: KEYS,
    },
    migration_failed: {
      means: 'A change of the database schema failed. The database was left as it was.',
      next: 'Read the cause in the message, correct it, and run `donor-sync migrate` again. Keep a backup.',
      document: UPDATING,
    },
    move_differs: {
      means:
        'A table in the new database differs from the old one after it was copied. The old database remains in use.',
      next: 'Repeat the move into a new, empty database while no other process is using either database.',
      document: MOVING,
    },
    move_impossible: {
      means: 'A move is only possible from an SQLite file to Postgres. Nothing was copied.',
      next: 'Run the command with the settings that name the file, and set the Postgres address with `--to`.',
      document: MOVING,
    },
    move_logs_unusable: {
      means:
        'The logs of erasures and writes could not be copied for the new database. The move is not finished.',
      next: 'Make the files that the message names readable and writable, then repeat the move.',
      document: MOVING,
    },
    move_unfinished: {
      means: 'The copy into this database did not finish, so the database cannot be used.',
      next: 'Repeat `donor-sync move` with the settings of the old database, or start over with `--start-over`, which empties the new one.',
      document: MOVING,
    },
    postgres_needed: {
      means:
        'Workers need a Postgres database, and the settings name an SQLite file. No worker was started.',
      next: 'Run `donor-sync serve` alone, or move the database to Postgres with `donor-sync move`.',
      document: MOVING,
    },
    question_unreadable: {
      means:
        'A decision in the database belongs neither to a contact nor to a network. donor-sync never writes such a decision.',
      next: 'Find out which other program writes to the database, and restore a backup.',
      document: BACKUPS,
    },
    schema_behind: {
      means: 'The database lacks changes that this version needs. Nothing was done.',
      next: 'Run `donor-sync migrate` once, then repeat the command.',
      document: UPDATING,
    },
    sealed_value_damaged: {
      means:
        'An encrypted value in the database cannot be decrypted, because it was changed or moved, or the key is wrong.',
      next: 'Check DONOR_SYNC_SECRET_KEY. If the key is right, find out which other program writes to the database.',
      document: KEYS,
    },
    secret_key_invalid: {
      means: 'DONOR_SYNC_SECRET_KEY does not contain a valid key. Nothing was opened.',
      next: 'Correct the variable. Do not create a new key for an existing database.',
      document: KEYS,
    },
    secret_key_missing: {
      means: 'The secret key of the database is missing. Nothing was changed.',
      next: 'Set DONOR_SYNC_SECRET_KEY to the same value for every process that uses the database.',
      document: KEYS,
    },
    secret_key_unknown: {
      means: 'A value in the database was encrypted with a key that is not available here.',
      next: 'Add the former key to DONOR_SYNC_SECRET_KEY, after the current key and a comma.',
      document: KEYS,
    },
    store_moved: {
      means: 'This database was moved to another one and is no longer used. Nothing was done.',
      next: 'Set `database` to the address of the new database.',
      document: MOVING,
    },
    store_replaced: {
      means:
        'The database file was deleted or replaced while donor-sync used it. Nothing more is spent.',
      next: 'Put the right file in place, then start donor-sync again.',
      costs: 'Nothing.',
      document: BACKUPS,
    },
    target_not_empty: {
      means: 'The new database already contains data. Nothing was copied into it.',
      next: 'Use a new, empty database.',
      document: MOVING,
    },
  },
};
