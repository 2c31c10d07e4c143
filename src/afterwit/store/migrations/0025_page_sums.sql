-- Pages have checksums of their own now; nothing writes or reads those of rows and of index blocks.
DROP TABLE index_sums;
DROP TABLE knowledge_sum;
DROP INDEX files_unsealed;
