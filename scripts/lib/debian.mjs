import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * A program that the tests of deployment start for real: the machine's, else Debian's, unpacked into a folder named after
 * its version. Nothing is installed, and root is not needed where the lists of packages are there.
 *
 * @param name the command, which is also its package where no other is named.
 * @returns null where there is none to be had; the reason was printed.
 */
export function findDebianTool(name, packageName = name) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_FOLDERS];
  const installed = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (installed !== undefined) return installed;
  if (!existsSync('/etc/debian_version')) return absent(name, 'this system is not Debian');
  try {
    const root = unpacked(packageName);
    const file = ['usr/sbin', 'usr/bin', 'sbin', 'bin'].map((folder) => path.join(root, folder, name)).find(existsSync);
    if (file === undefined) return absent(name, `the package ${packageName} does not hold it`);
    const { status, stderr } = spawnSync(file, ['-h'], { encoding: 'utf8' });
    // 127: a library that the dynamic loader does not find.
    return status === 127 ? absent(name, stderr.trim()) : file;
  } catch (error) {
    return absent(name, error instanceof Error ? error.message : String(error));
  }
}

function absent(name, reason) {
  process.stderr.write(`${name} is not here and could not be got (${reason}): what needs it is skipped.\n`);
  return null;
}

/** The unpacked package, in its newest version. */
function unpacked(packageName) {
  const apt = (...parameters) => execFileSync('apt-get', ['-qq', ...parameters], { stdio: 'ignore' });
  const draft = mkdtempSync(path.join(os.tmpdir(), `parrain-${packageName}-`));
  try {
    const download = () => execFileSync('apt-get', ['-qq', 'download', packageName], { cwd: draft, stdio: 'ignore' });
    try {
      download();
    } catch (error) {
      // A fresh machine has no lists yet; only root may get them.
      if (process.getuid?.() !== 0) throw error;
      apt('update');
      download();
    }
    const archive = readdirSync(draft).find((file) => file.endsWith('.deb'));
    if (archive === undefined) throw new Error(`apt-get gave nothing for ${packageName}`);
    const folder = path.join(os.tmpdir(), `parrain-${archive.slice(0, -'.deb'.length).replaceAll('%3a', '-')}`);
    if (!existsSync(folder)) {
      // Unpacked beside and moved whole: an interrupted run leaves nothing that looks ready.
      const tree = path.join(draft, 'tree');
      mkdirSync(tree);
      execFileSync('dpkg-deb', ['-x', path.join(draft, archive), tree]);
      try {
        renameSync(tree, folder);
      } catch {
        // Another run was quicker.
      }
    }
    return folder;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
