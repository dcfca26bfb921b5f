"""Here so that pytest finds the modules of this folder."""
