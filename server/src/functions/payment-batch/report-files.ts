import { Failure } from '@parrain/domain/failure';
import { unzipSync } from 'fflate';

import { withTrueSizes } from '#platform/tables/archive-sizes';
import { isFolderOfFiles } from '#platform/tables/kind-of-file';
import { UnreadableTable } from '#platform/tables/unreadable-table';

/** Of all files of an archive, unpacked: as a bank's answer on ten thousand transfers. */
const BYTES_MAX = 16 * 1024 * 1024;

/** The files that a bank's answer came as: those of a ZIP, else itself alone (AC-09). @throws Failure `bank_file_unknown` */
export async function filesOfReport(file: Buffer): Promise<readonly Buffer[]> {
  if (!isFolderOfFiles(file)) return [file];
  try {
    let left = BYTES_MAX;
    const files = unzipSync(await withTrueSizes(file), {
      filter: ({ originalSize }) => {
        left -= originalSize;
        if (left < 0) throw new UnreadableTable('unpacked');
        return originalSize > 0;
      },
    });
    return Object.values(files).map((bytes) => Buffer.from(bytes));
  } catch (error) {
    const cause = error instanceof UnreadableTable ? error.why : 'damaged';
    throw new Failure('bank_file_unknown', { cause, line: null });
  }
}
